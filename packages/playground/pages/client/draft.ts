/** Keeps a half-written comment over a change of speaker or page; it ends with the browser's tab. */

export function keepDraft(): void {
  const box = document.querySelector<HTMLTextAreaElement>('[data-compose] [data-body]');
  if (box === null) return;
  const key = `draft ${location.pathname}`;
  box.value ||= sessionStorage.getItem(key) ?? '';
  box.form?.addEventListener('input', () => sessionStorage.setItem(key, box.value));
}
