/** What people were told or asked because something waits for them: what each event of it carries. */

import type { Permission } from '../../actor.ts';
import type { Delivery } from '../../channel.ts';

/** `lane-blocked`: its lane got no run on a day of the schedule. `undecided`: it has ended and waits for a decision. `incident`: one that needs a person. `watch-ended`: nobody watches its job any more, and nobody has taken note. `dri-asked`: who is in charge by the contract is to accept it. `update`: its issue had heard nothing for a while. `job-unconfirmed`: nobody has said whether what the cluster told of is the job. */
export const NOTICE_REASONS = [
  'lane-blocked',
  'undecided',
  'incident',
  'watch-ended',
  'dri-asked',
  'job-unconfirmed',
  'update',
] as const;
export type NoticeReason = (typeof NOTICE_REASONS)[number];

export type NoticeEventData = {
  /**
   * Recorded before it is said, so that it is said once. `about` names the occasion: for `lane-blocked` the day, in UTC, for
   * `dri-asked` the login, for `update` the entry of the launch and the how manieth since, for `undecided`, `incident`, `watch-ended` and `job-unconfirmed` the entry of the end, incident or description and the how manieth notice of it. Who is mentioned: `people` by their numeric ids,
   * or everybody with at least `permission`; without either, nobody.
   */
  readonly notified: {
    readonly reason: NoticeReason;
    readonly about: string;
    readonly people?: readonly number[];
    readonly permission?: Permission;
    /** Names of the channels to which whoever records this sends it, after it is recorded. */
    readonly channels?: readonly string[];
  };
  /** What came of sending the notice at the entry `notice` to a channel; `unknown` also where the sender died meanwhile. */
  readonly delivered: { readonly notice: number; readonly channel: string } & Delivery;
  /** In the journal: what a run of the lane is for is asked before it is proposed, and later that this is settled. */
  readonly 'objective-asked': ObjectiveQuestion;
};

/** `until`: RFC 3339; from then on the run is proposed with the usual objective. Answered: somebody said what it is for. */
export type ObjectiveQuestion = {
  readonly lane: string;
  readonly date: string;
  readonly issue: number;
  readonly until: string;
  readonly state: 'open' | 'answered' | 'unanswered';
};
