// The checker in a thread of its own, so that long proofs do not hold up the page. It takes
// {packed}, the module, and then {id, name, text, line}, and answers {id, answer} or {id, error}. A module that broke down is made
// anew. Engine and what it needs are put before it by main.js.

let compiled, checker;

async function serve({ id, name, text, line, packed }) {
  if (packed) {
    compiled = await WebAssembly.compile(unpack(packed));
    return;
  }
  try {
    checker ??= await Engine.make(compiled);
    checker.tell(text);
    if (name === 'explain') checker.call('explain', false, line);
    else checker.call('check', false);
    postMessage({ id, answer: checker.answer() });
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) checker = undefined;
    postMessage({ id, error: error.message });
  }
}

let last = Promise.resolve();
onmessage = (event) => { last = last.then(() => serve(event.data)); };
