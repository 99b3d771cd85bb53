/** Comments about people's own pull requests and issues, each posted once. */

import { markerIdentity } from '../../domain/marker.ts';
import { say } from '../control/outbox.ts';
import type { OpenLab } from '../open-lab.ts';

/** Says something in the thread, unless it stands there. */
export async function sayOnce(
  open: OpenLab,
  thread: number,
  key: string,
  body: string,
): Promise<'done' | { readonly kind: 'wait'; readonly why: string }> {
  const marker = markerIdentity({ run: 'journal', kind: 'own-pull', key });
  const said = await say(open, { thread, marker, body });
  return said.kind === 'stands' ? 'done' : { kind: 'wait', why: said.why };
}
