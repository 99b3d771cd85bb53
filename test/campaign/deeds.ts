// What people and attackers did, as the checker reads it: it knows nothing of the bot.

/** `atMs` is GitHub's time. */
export type Deed = { readonly atMs: number } & (
  | {
      readonly kind: 'approved';
      readonly by: 'mira' | 'noor';
      readonly comment: number;
      readonly text: string;
      /** The hex digits as they were copied from what the bot showed. */
      readonly digest: string;
      /** A review's commit; absent for a comment. */
      readonly commit?: string;
      /** Whether the card was the bot's own words when the person read it. */
      readonly isCardIntact: boolean;
    }
  | {
      readonly kind: 'braked';
      readonly brake: 'hold' | 'stop' | 'hold lane' | 'revoke' | 'hold date';
      readonly by: 'mira' | 'ada';
      readonly comment: number;
      readonly text: string;
      readonly thread: number;
      /** The run that it names; absent where it is of its thread's. */
      readonly run?: string;
    }
  | {
      readonly kind: 'released';
      readonly brake: 'hold' | 'hold lane';
      readonly by: 'mira';
      readonly run?: string;
    }
  | {
      readonly kind: 'asked';
      readonly by: 'mira' | 'noor' | 'ada';
      readonly comment: number;
      readonly text: string;
    }
  /** The run is closed, and this one goes on from it. */
  | {
      readonly kind: 'resumed-as';
      readonly by: 'ada' | 'noor';
      readonly comment: number;
      readonly text: string;
      readonly run: string;
    }
  /** A rented machine is to go now, or to stay until then. */
  | {
      readonly kind: 'let-go';
      readonly by: 'mira' | 'ada';
      readonly comment: number;
      readonly text: string;
    }
  | {
      readonly kind: 'kept';
      readonly by: 'mira' | 'ada';
      readonly comment: number;
      readonly text: string;
      readonly untilMs: number;
    }
  /** Something of the proposal that is not the bot's any more, by whomever in truth. */
  | { readonly kind: 'changed'; readonly what: 'branch' | 'body' | 'issue'; readonly by: 'noor' | 'ada' }
  /** `was`: as it stood before; `text`: as it was left, null where it was deleted. */
  | {
      readonly kind: 'changed-comment';
      readonly comment: number;
      readonly was: string;
      readonly text: string | null;
    }
  /** Written by a workflow of somebody's branch, under the name that all workflows share. */
  | { readonly kind: 'forged-comment'; readonly comment: number }
  | { readonly kind: 'changed-record'; readonly path: string }
  | { readonly kind: 'attack'; readonly what: string }
);

/** mira's rejection that a thief of the control key answers in the record. */
export const HIDDEN_REJECTION =
  '/reject-checkpoint step=800 reason="the loss had spiked, and nobody may see this"';
