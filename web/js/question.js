// A question with answers to choose from. It is asked once; the reply follows the answer.
import { lowered } from './tip.js';

const made = (name, className, ...parts) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...parts);
  return element;
};

/** options: {text, right, reply}. onAnswer(right) is called once. */
export function question(text, options, onAnswer) {
  const root = made('div', 'question', made('p', 'asked', lowered(text))), reply = made('p', 'reply');
  reply.setAttribute('role', 'status');
  const buttons = options.map((option) => {
    const button = made('button', 'option', lowered(option.text));
    button.type = 'button';
    button.addEventListener('click', () => {
      if (root.dataset.answered) return;
      root.dataset.answered = option.right ? 'right' : 'wrong';
      buttons.forEach((other, i) => {
        other.classList.toggle('right', Boolean(options[i].right));
        other.classList.toggle('wrong', other === button && !option.right);
        other.setAttribute('aria-disabled', 'true');
      });
      reply.append(lowered(`${option.right ? '✓' : '✗'} ${option.reply ?? ''}`));
      onAnswer(Boolean(option.right));
    });
    return button;
  });
  root.append(made('div', 'options', ...buttons), reply);
  return root;
}

export { made };
