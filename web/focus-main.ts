/** Gives the focus to the content, so that keys scroll it. Only whoever comes there by Tab has to be shown where they are. */
export function focusMain(): void {
  const main = document.getElementById('main');
  if (!main) return;
  main.dataset.arrived = '';
  main.addEventListener('blur', () => delete main.dataset.arrived, { once: true });
  main.focus();
}
