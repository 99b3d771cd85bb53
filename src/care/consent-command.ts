/** Which command consents to which change of the cluster, and with what argument. */

import { bindingHex, namingOf } from '../domain/approval-binding.ts';
import { assertNever } from '../domain/assert.ts';
import { MUTATIONS, type Mutation, targetName } from '../domain/care/mutation.ts';

/** `key` null = the command names no target: there is one of its kind on the cluster, or in the run. */
export type ConsentCommand = {
  readonly name: `approve-${'node-delete' | 'disk-cleanup' | 'start-cleanup' | 'checkpoint-cleanup'}`;
  readonly key: 'vm' | 'worker' | null;
};

/** The command that consents to this mutation. */
export function consentCommand({ kind }: Pick<Mutation, 'kind'>): ConsentCommand {
  switch (kind) {
    case 'delete-tpu-vm':
      return { name: 'approve-node-delete', key: 'vm' };
    case 'init-worker':
    case 'clean-disk':
      return { name: 'approve-disk-cleanup', key: 'worker' };
    case 'start-cleanup-cron':
      return { name: 'approve-start-cleanup', key: null };
    case 'delete-checkpoint':
      return { name: 'approve-checkpoint-cleanup', key: null };
    default:
      return assertNever(kind);
  }
}

/** Whether a word is one of these commands: nothing else on GitHub has their names, so that they are meant for us anywhere. */
export function isConsentCommand(name: string): boolean {
  return MUTATIONS.some((kind) => consentCommand({ kind }).name === name);
}

/** The line that consents to a proposal, as it is copied. */
export function consentText(mutation: Mutation, digest: string): string {
  const { name, key } = consentCommand(mutation);
  const target = key === null ? [] : [`${key}=${targetName(mutation).replace(/[^a-z0-9-]/g, '')}`];
  return [`/${name}`, ...target, bindingHex(digest)].join(' ');
}

/** Whether a command with these arguments can mean this mutation; a digest that is given has to begin its digest. */
export function canMean(
  said: { readonly name: string; readonly args: Readonly<Record<string, string>> },
  mutation: Mutation,
  digest: string,
): boolean {
  const { name, key } = consentCommand(mutation);
  if (said.name !== name) return false;
  if (key !== null && said.args[key] !== targetName(mutation)) return false;
  return namingOf(said.args['digest'], digest) !== 'other';
}

/** Whether it consents to it: it names the mutation's digest, with as many digits as bind. */
export function consentsTo(
  said: { readonly name: string; readonly args: Readonly<Record<string, string>> },
  mutation: Mutation,
  digest: string,
): boolean {
  return canMean(said, mutation, digest) && namingOf(said.args['digest'], digest) === 'named';
}
