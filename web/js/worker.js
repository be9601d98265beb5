// The checker in a thread of its own, so that long proofs do not hold up the page. It takes {packed}
// or {module} first and answers {module}, compiled, or {broken}; then {name, text, line, settings}, and answers
// {answer} or {error}. A module that broke down is made anew. Engine and what it needs are put before
// it by thread.js.

let compiled, checker;

async function compile({ packed, module }) {
  try {
    compiled = module ?? await WebAssembly.compile(unpack(packed));
    postMessage({ module: compiled });
  } catch (error) {
    postMessage({ broken: error.message });
  }
}

async function serve({ name, text, line, settings }) {
  try {
    checker ??= await Engine.make(compiled);
    checker.tell(text);
    if (name === 'explain') checker.call('explain', false, line);
    else if (name === 'figure') checker.call('claim_figure', false, line, settings.index, settings.dark, settings.width);
    else checker.call('check', false);
    postMessage({ answer: checker.answer() });
  } catch (error) {
    if (!error.told) checker = undefined; // it trapped or ended: its memory is worth nothing
    postMessage({ error: error.message });
  }
}

onmessage = ({ data }) => (data.name ? serve(data) : compile(data));
