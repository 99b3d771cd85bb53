/** Everything that a process needs to work on one repository, put together once at a composition root. */

import type { FixAnswer, FixQuestion } from '../diagnosis/fix/suggest-fix.ts';
import type { TpuCloud } from '../domain/care/tpu-vm.ts';
import type { ChannelMessage, Delivery } from '../domain/channel.ts';
import type { CheckpointReader, StorePath } from '../domain/checkpoint/stored.ts';
import type { Engine } from '../domain/engine.ts';
import type { ReadExperiment } from '../domain/experiment.ts';
import type { GitExporter, GitReader, GitWriter } from '../domain/git.ts';
import type { Digest, Instant } from '../domain/ids.ts';
import type { Observed } from '../domain/observed.ts';
import type { GitHubClient } from '../github/call.ts';
import type { Hash, VerifySignature } from '../logbook/ports.ts';
import type { LabConfig } from '../run/lane-scope.ts';
import type { Helpers } from '../run/proposing.ts';
import type { ImageOf } from './images.ts';
import type { SigningKeys } from './signers.ts';

/** Who commits and tags: the lab's name and address from config. */
export type GitIdentity = { readonly name: string; readonly email: string };

export type LabGit = GitReader & GitWriter & GitExporter;

/** The engine behind a cluster of the config; null where there is none on this machine. */
export type EngineOf = (config: LabConfig, cluster: string) => Engine | null;

/** The TPU VMs of a cluster, or null where the config does not say where they are. */
export type CloudOf = (config: LabConfig, cluster: string) => TpuCloud | null;

/** The log of the process: one line each, already redacted, never for a person on GitHub. */
export type Log = (line: string, fields?: Readonly<Record<string, string | number>>) => void;

/** Marks a boundary of an effect; the crash tests end the process here. */
export type Boundary = (kind: string, moment: 'before' | 'after') => void;

export type Lab = {
  /** `owner/name`. */
  readonly repository: string;
  readonly client: GitHubClient;
  /** Git that commits as the lab; asked for after the config was read. */
  readonly gitAs: (identity: GitIdentity) => LabGit;
  /** The private keys that this process holds; it can write only what their roles may. */
  readonly signingKeys: SigningKeys;
  readonly hash: Hash;
  readonly digestOf: (text: string) => Digest;
  readonly verifySignature: VerifySignature;
  /** Reads an experiment file in a child process with the interpreter of a lane. */
  readonly readExperiment: ReadExperiment;
  /** Minor version of the interpreter of a lane, such as `3.11`. */
  readonly pythonVersion: (python: string) => Promise<Observed<string>>;
  /** Asks the interpreter of a lane for the correction of a small mistake. */
  readonly fixSmallMistake: (question: FixQuestion, python: string) => Promise<Observed<FixAnswer>>;
  /** Programs of the lab's own: its proposer, its checks before a push. */
  readonly helpers: Helpers;
  /** Says a message in a channel beside GitHub, and what came of it; it never throws. */
  readonly sendToChannel: (
    channel: LabConfig['onCall']['channels'][string],
    message: ChannelMessage,
  ) => Promise<Delivery>;
  /** Where checkpoints lie, to be read: what deletes them is handed to the process that carries out a consent, and to no other. */
  readonly stores: (path: StorePath) => Observed<CheckpointReader>;
  /** Registries that the config names, asked how a container was built. */
  readonly images: ImageOf;
  readonly now: () => Instant;
  readonly log: Log;
  readonly boundary: Boundary;
};
