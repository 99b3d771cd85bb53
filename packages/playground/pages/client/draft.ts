/** Keeps a half-written comment when the speaker or the page changes; it is lost with the browser's tab. */

export function keepDraft(): void {
  const box = document.querySelector<HTMLTextAreaElement>('[data-compose] [data-body]');
  if (box === null) return;
  const key = `draft ${location.pathname}`;
  box.value ||= sessionStorage.getItem(key) ?? '';
  box.form?.addEventListener('input', () => sessionStorage.setItem(key, box.value));
}
