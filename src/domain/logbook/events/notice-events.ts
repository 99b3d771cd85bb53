/** What people were told because the run waits for them: what each event of it carries. */

/** `lane-blocked`: its lane got no run on a day of the schedule. */
export const NOTICE_REASONS = ['lane-blocked'] as const;
export type NoticeReason = (typeof NOTICE_REASONS)[number];

export type NoticeEventData = {
  /** Recorded before it is said, so that it is said once. `about` names the occasion: for `lane-blocked` the day, in UTC. */
  readonly notified: { readonly reason: NoticeReason; readonly about: string };
};
