/** Submits forms without a reload: a result appears as a live change, a refusal next to the form. */

type Outcome = { readonly kind: string; readonly to?: string; readonly message?: string };

export function followForms(refresh: () => Promise<void>): void {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.hasAttribute('data-act')) return;
    event.preventDefault();
    void sendForm(form, event.submitter, refresh);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    if (event.target instanceof HTMLTextAreaElement) event.target.form?.requestSubmit(primaryButton(event.target.form));
  });
  document.addEventListener('click', (event) => {
    if (!(event.target instanceof Element)) return;
    const chip = event.target.closest<HTMLElement>('[data-insert]');
    if (chip !== null) insertCommand(event, chip.dataset['insert'] ?? '');
    const half = event.target.closest<HTMLElement>('[data-show]');
    if (half !== null) void showPreview(half);
  });
}

async function sendForm(
  form: HTMLFormElement,
  submitter: HTMLElement | null,
  refresh: () => Promise<void>,
): Promise<void> {
  if (form.ariaBusy === 'true') return;
  form.ariaBusy = 'true';
  showFormError(form, null);
  try {
    const outcome = await postForm(form.action, new FormData(form, submitter));
    if (outcome.kind !== 'done') return showFormError(form, outcome.message ?? 'That was refused.');
    if (form.hasAttribute('data-compose')) clearForm(form);
    form.closest('details.menu, details.edit-box')?.removeAttribute('open');
    if (!isCurrentPage(outcome.to ?? '')) return location.assign(outcome.to ?? '/');
    for (const box of form.querySelectorAll('textarea')) box.defaultValue = box.value;
    await refresh();
  } finally {
    form.ariaBusy = 'false';
  }
}

export async function postForm(action: string, data: FormData): Promise<Outcome> {
  const fields = new URLSearchParams();
  for (const [name, value] of data) if (typeof value === 'string') fields.append(name, value);
  try {
    const response = await fetch(action, { method: 'POST', body: fields, headers: { accept: 'application/json' } });
    return await response.json();
  } catch (error) {
    return {
      kind: 'refused',
      message: `The playground did not answer: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

/** Whether an address is this page; `/lab/marin/issues/7` and `/lab/marin/pull/7` are one thread. */
function isCurrentPage(to: string): boolean {
  const plain = (path: string): string => path.replace('/pull/', '/issues/');
  return plain(new URL(to, location.href).pathname) === plain(location.pathname);
}

function clearForm(form: HTMLFormElement): void {
  form.reset();
  form.dispatchEvent(new Event('input', { bubbles: true }));
  const write = form.querySelector<HTMLElement>('[data-show="write"]');
  if (write !== null) void showPreview(write);
}

/** Shows an error at the form if it has a place for it, else in the page's own note. */
function showFormError(form: HTMLFormElement, message: string | null): void {
  const place = form.querySelector<HTMLElement>('[data-refusal]');
  if (place !== null) {
    place.textContent = message;
    place.hidden = message === null;
  } else if (message !== null) {
    toast(message);
  }
}

export function toast(message: string): void {
  const note = document.createElement('p');
  note.className = 'toast';
  note.role = 'alert';
  note.textContent = message;
  document.body.append(note);
  setTimeout(() => note.remove(), 6_000);
}

function primaryButton(form: HTMLFormElement): HTMLElement | null {
  return form.querySelector<HTMLElement>('button.primary');
}

function insertCommand(event: Event, command: string): void {
  const box = document.querySelector<HTMLTextAreaElement>('[data-compose] [data-body]');
  if (box === null) return;
  event.preventDefault();
  box.value = box.value.trim() === '' ? command : `${box.value.trimEnd()}\n${command}`;
  box.dispatchEvent(new Event('input', { bubbles: true }));
  box.scrollIntoView({ block: 'center' });
  box.focus();
}

async function showPreview(half: HTMLElement): Promise<void> {
  const form = half.closest<HTMLFormElement>('[data-compose]');
  const box = form?.querySelector<HTMLTextAreaElement>('[data-body]');
  const place = form?.querySelector<HTMLElement>('[data-preview]');
  if (!form || !box || !place) return;
  const showing = half.dataset['show'] === 'preview';
  for (const other of form.querySelectorAll<HTMLElement>('[data-show]')) other.ariaPressed = String(other === half);
  box.hidden = showing;
  place.hidden = !showing;
  if (!showing) return;
  const fields = new URLSearchParams({ body: box.value, repo: form.dataset['compose'] ?? '' });
  const response = await fetch('/_playground/preview', { method: 'POST', body: fields });
  place.innerHTML = response.ok ? await response.text() : 'The preview is not there at the moment.';
}
