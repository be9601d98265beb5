// Text that is put into an area as if it were typed, so that the browser's own undo takes it back.

/** Replaces what is between two places. What had the focus has it afterwards. */
export function replaceText(area, text, from = 0, to = area.value.length) {
  if (text === area.value.slice(from, to)) return;
  const focused = document.activeElement;
  area.focus({ preventScroll: true });
  area.setSelectionRange(from, to);
  const done = document.activeElement === area && document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
  if (!done) area.setRangeText(text, from, to, 'end'); // hidden, or a browser without the command
  if (focused !== area) focused?.focus?.({ preventScroll: true });
}
