// Pictures as files.

export function save(name, text, type = 'image/svg+xml') {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export const isDark = () => document.documentElement.dataset.theme === 'dark';
