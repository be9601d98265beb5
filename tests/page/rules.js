// Rules of accessibility that a page can be held to by a script: each returns what breaks it.
const shown = (element) => element.checkVisibility({ checkOpacity: false, checkVisibilityCSS: true });
const tell = (element) => element.outerHTML.slice(0, 100);

function nameOf(element) {
  const by = element.getAttribute('aria-labelledby');
  if (by) return by.split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim();
  if (element.getAttribute('aria-label')) return element.getAttribute('aria-label').trim();
  if (element.labels?.length) return [...element.labels].map((label) => label.textContent).join(' ').trim();
  return (element.textContent || element.getAttribute('title') || element.getAttribute('alt') || '').trim();
}

// ---- Contrast: WCAG's relative luminance ----
function colour(text) {
  const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
  return { r, g, b, a };
}

function over(front, back) {
  const mix = (x, y) => x * front.a + y * (1 - front.a);
  return { r: mix(front.r, back.r), g: mix(front.g, back.g), b: mix(front.b, back.b), a: 1 };
}

function background(element) {
  const layers = [];
  for (let e = element; e; e = e.parentElement) {
    const c = colour(getComputedStyle(e).backgroundColor);
    if (c.a > 0) layers.push(c);
    if (c.a === 1) break;
  }
  return layers.reverse().reduce((back, front) => over(front, back), { r: 255, g: 255, b: 255, a: 1 });
}

function luminance({ r, g, b }) {
  const part = (x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
}

function contrast(element) {
  const style = getComputedStyle(element), back = background(element);
  const front = over(colour(style.color), back), [x, y] = [luminance(front), luminance(back)].sort((a, b) => b - a);
  const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  return { ratio: (x + 0.05) / (y + 0.05), wanted: large ? 3 : 4.5 };
}

const ROLES = ['listbox', 'option', 'img', 'slider', 'group', 'radiogroup', 'status', 'tooltip', 'alert'];
const interactive = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

const rules = {
  'interactive elements have names': () => [...document.querySelectorAll(interactive)]
    .filter((e) => shown(e) && nameOf(e) === ''),
  'form fields have labels': () => [...document.querySelectorAll('input, select, textarea')]
    .filter((e) => !e.labels?.length && !e.getAttribute('aria-label')),
  'pictures have names': () => [...document.querySelectorAll('[role=img], img')].filter((e) => shown(e) && nameOf(e) === ''),
  'roles are known': () => [...document.querySelectorAll('[role]')].filter((e) => !ROLES.includes(e.getAttribute('role'))),
  'sliders tell their value': () => [...document.querySelectorAll('[role=slider]')]
    .filter((e) => !['aria-valuenow', 'aria-valuemin', 'aria-valuemax', 'aria-valuetext', 'aria-label'].every((a) => e.hasAttribute(a))),
  'ids are unique': () => {
    const seen = new Set();
    return [...document.querySelectorAll('[id]')].filter((e) => seen.size === seen.add(e.id).size);
  },
  'references lead somewhere': () => [...document.querySelectorAll('[for], [aria-describedby], [aria-labelledby]')]
    .filter((e) => ['for', 'aria-describedby', 'aria-labelledby'].some((a) => e.hasAttribute(a)
      && e.getAttribute(a).split(/\s+/).some((id) => !document.getElementById(id)))),
  'there is one main landmark, a header, a navigation and a footer': () => ['main', 'header', 'nav', 'footer']
    .filter((name) => document.querySelectorAll(name).length !== 1).map((name) => ({ outerHTML: name })),
  'there is one heading of the first order': () => (document.querySelectorAll('h1').length === 1 ? [] : [document.body]),
  'headings skip no order': () => {
    let last = 1;
    return [...document.querySelectorAll('h1, h2, h3, h4')].filter(shown).filter((e) => {
      const order = Number(e.tagName[1]), bad = order > last + 1;
      last = order;
      return bad;
    });
  },
  'the language is told': () => (document.documentElement.lang ? [] : [document.documentElement]),
  'there is a title': () => (document.title ? [] : [document.head]),
  'zooming is allowed': () => [...document.querySelectorAll('meta[name=viewport]')].filter((e) => /user-scalable|maximum-scale/.test(e.content)),
  'nothing goes before in the order of tabs': () => [...document.querySelectorAll('[tabindex]')].filter((e) => e.tabIndex > 0),
  'nothing hidden can have the focus': () => [...document.querySelectorAll(`[aria-hidden=true] :is(${interactive})`)].filter(shown),
  'nothing interactive is inside of another': () => [...document.querySelectorAll('a, button')].filter((e) => e.querySelector(interactive)),
  'lists hold items alone': () => [...document.querySelectorAll('ol, ul')].filter((e) => [...e.children].some((c) => c.tagName !== 'LI')),
  'targets are large enough': () => [...document.querySelectorAll('button, nav a, select, input')].filter((e) => {
    const { width, height } = e.getBoundingClientRect();
    return shown(e) && width > 0 && (width < 24 || height < 24);
  }),
  'text has contrast': () => [...document.querySelectorAll('body *')].filter((e) => {
    if (!shown(e) || e.closest('svg, script, pre#marks, .skip, :disabled, [aria-disabled=true]')) return false;
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) return false;
    const { ratio, wanted } = contrast(e);
    return ratio < wanted;
  }),
};

const broken = {};
for (const [name, rule] of Object.entries(rules)) {
  const found = rule();
  if (found.length > 0) broken[name] = found.map(tell);
}
return { broken, count: Object.keys(rules).length };
