/** Why nothing is put right: closed, so that each has its words. */

export const NO_FIX_REASONS = [
  'not-small',
  'no-suggestion',
  'not-in-tree',
  'outside-scope',
  'too-long',
  'tree-unlike',
  'no-candidate',
  'several-candidates',
  'other-suggestion',
  'not-mended',
] as const;
export type NoFixReason = (typeof NO_FIX_REASONS)[number];
export type NoFix = { readonly kind: 'none'; readonly reason: NoFixReason };

/** Nothing is changed, and people are told this. */
export function none(reason: NoFixReason): NoFix {
  return { kind: 'none', reason };
}
