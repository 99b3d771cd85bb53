/** A runner's own look for brakes in the threads of what it is about to do: also such as the record has lost. */

import { policyOf } from '../commands/policy.ts';
import { definitionOf } from '../commands/registry.ts';
import { type Permission, permits } from '../domain/actor.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { readPermission } from '../github/permission.ts';
import { type Brake, openBrakes, type Unanswered } from '../run/open-brakes.ts';
import type { OpenLab } from './open-lab.ts';

/** The brakes of people who may pull them at this moment; unknown where GitHub does not tell who may. */
export async function gatherBrakes(
  { lab, config, keeper }: OpenLab,
  place: Unanswered & {
    /** Whoever gave an approval that this rests on. */
    readonly approvers: ReadonlySet<number>;
  },
  comments: readonly CommentFacts[],
): Promise<Observed<readonly Brake[]>> {
  const found: Brake[] = [];
  const asked = new Map<number, Observed<Permission>>();
  const policy = policyOf(config);
  const { approvers } = place;
  const { otherBots } = config;
  const elsewhere = keeper.current().journal.commands;
  for (const { comment } of openBrakes(place, elsewhere, comments, { otherBots, permissions: new Map() })) {
    const { author } = comment;
    if (asked.has(author.id)) continue;
    if (asked.size >= limits.permissionsPerWakeMax)
      return unknown('more people may hold this back than can be asked about');
    const permission = await readPermission(lab.client, author);
    if (permission.kind === 'unknown' && !approvers.has(author.id)) return permission;
    asked.set(author.id, permission);
  }
  // An approver's words are read whole, whatever they may do today.
  const read = new Map([...asked, ...[...approvers].map((id) => [id, known<Permission>('triage')] as const)]);
  for (const item of openBrakes(place, elsewhere, comments, { otherBots, permissions: read })) {
    if (item.name === null) continue;
    const { author, thread } = item.comment;
    const brake = { name: item.name, login: author.login, thread };
    // Whoever gave an approval may take it back, also after they lost the right to give one.
    if (item.name === 'revoke' && approvers.has(author.id)) return known([...found, brake]);
    const permission = asked.get(author.id) ?? (await readPermission(lab.client, author));
    asked.set(author.id, permission);
    if (permission.kind === 'unknown') return permission;
    const needs = item.name === 'revoke' ? policy.revokePermission : definitionOf(item.name)?.who(policy);
    if (needs === null || needs === undefined || permits(permission.value, needs)) found.push(brake);
  }
  return known(found);
}
