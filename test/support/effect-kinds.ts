import type { Effect } from '../../src/domain/effect.ts';

export const EFFECT_KINDS = [
  'react',
  'post-comment',
  'edit-comment',
  'put-check-run',
  'dispatch-workflow',
  'push-branch',
  'open-issue',
  'edit-issue',
  'open-pull',
  'merge-pull',
  'push-tag',
] as const satisfies readonly Effect['kind'][];
