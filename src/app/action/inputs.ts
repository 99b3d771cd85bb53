/** The action's modes. action.yml names its inputs and outputs, and a test holds them against the code. */

/** What a workflow step does (docs/architecture.md, Who runs where). */
export const MODES = [
  'propose',
  'chat',
  'launch',
  'watch',
  'stop',
  'watchdog',
  'care',
  'disk-scan',
  'fix',
] as const;
export type ActionMode = (typeof MODES)[number];

/** Whether the text is a mode of the action. */
export function isMode(text: string): text is ActionMode {
  return MODES.some((mode) => mode === text);
}
