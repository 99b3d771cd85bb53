/** Task list boxes that the reader may tick: a click edits their text. */
import { postForm, toast } from './forms.ts';

const boxes = 'li.task-list-item input[type="checkbox"]';

/** Boxes are disabled in the server's markup, because they do nothing without this script. */
export function enableTicks(root: Element): void {
  for (const body of root.querySelectorAll<HTMLElement>('[data-tick]')) {
    const found = body.querySelectorAll<HTMLInputElement>(boxes);
    // Raw HTML can contain boxes without Markdown; then the numbers of the boxes would be wrong.
    if (String(found.length) === body.dataset['tasks']) for (const box of found) box.disabled = false;
  }
}

export function followTicks(refresh: () => Promise<void>): void {
  document.addEventListener('change', (event) => {
    const box = event.target;
    if (!(box instanceof HTMLInputElement) || !box.matches(boxes)) return;
    const body = box.closest<HTMLElement>('[data-tick]');
    if (body !== null) void sendTick(body, box, refresh);
  });
}

async function sendTick(body: HTMLElement, box: HTMLInputElement, refresh: () => Promise<void>): Promise<void> {
  const form = new FormData();
  form.set('task', String([...body.querySelectorAll(boxes)].indexOf(box)));
  form.set('done', box.checked ? 'on' : 'off');
  const outcome = await postForm(body.dataset['tick'] ?? '', form);
  if (outcome.kind !== 'done') {
    box.checked = !box.checked;
    toast(outcome.message ?? 'That was refused.');
  }
  await refresh();
}
