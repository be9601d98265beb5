// Runs the page's script, which is packed like everything else that is large.
import { unpack } from './engine.js';

const script = document.createElement('script');
script.type = 'module';
script.textContent = new TextDecoder().decode(unpack(document.getElementById('script').textContent));
document.body.append(script);
