// What people and attackers did, for the checker, without the bot's view.

/** `atMs` is GitHub's time. */
export type Deed = { readonly atMs: number } & (
  | {
      readonly kind: 'approved';
      readonly by: 'mira' | 'noor';
      readonly comment: number;
      readonly text: string;
      /** The hex digits as copied from the bot's text. */
      readonly digest: string;
      /** A review's commit; absent for a comment. */
      readonly commit?: string;
      /** Whether the card was unchanged when the person read it. */
      readonly isCardIntact: boolean;
    }
  | {
      readonly kind: 'braked';
      readonly brake: 'hold' | 'stop' | 'hold lane' | 'revoke' | 'hold date';
      readonly by: 'mira' | 'ada';
      readonly comment: number;
      readonly text: string;
      readonly thread: number;
      /** The named run; absent for the thread's run. */
      readonly run?: string;
    }
  | { readonly kind: 'released'; readonly brake: 'hold' | 'hold lane'; readonly by: 'mira'; readonly run?: string }
  | { readonly kind: 'asked'; readonly by: 'mira' | 'noor' | 'ada'; readonly comment: number; readonly text: string }
  /** The run is closed, and this one continues it. */
  | {
      readonly kind: 'resumed-as';
      readonly by: 'ada' | 'noor';
      readonly comment: number;
      readonly text: string;
      readonly run: string;
    }
  /** A rented machine is to be destroyed now, or kept until then. */
  | { readonly kind: 'let-go'; readonly by: 'mira' | 'ada'; readonly comment: number; readonly text: string }
  | {
      readonly kind: 'kept';
      readonly by: 'mira' | 'ada';
      readonly comment: number;
      readonly text: string;
      readonly untilMs: number;
    }
  /** A part of the proposal that no longer is the bot's, with the real editor. */
  | { readonly kind: 'changed'; readonly what: 'branch' | 'body' | 'issue'; readonly by: 'noor' | 'ada' }
  /** `was`: the text before; `text`: the text after, null if it was deleted. */
  | { readonly kind: 'changed-comment'; readonly comment: number; readonly was: string; readonly text: string | null }
  /** Posted by a workflow on a user's branch, under the account of all workflows. */
  | { readonly kind: 'forged-comment'; readonly comment: number }
  | { readonly kind: 'changed-record'; readonly path: string }
  | { readonly kind: 'attack'; readonly what: string }
);

/** mira's rejection that a thief of the control key answers in the record. */
export const HIDDEN_REJECTION = '/reject-checkpoint step=800 reason="the loss had spiked, and nobody may see this"';
