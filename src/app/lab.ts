/** Everything that a process needs to work on one repository, composed once at startup. */

import type { TpuCloud } from '../domain/care/machines.ts';
import type { CheckpointReader, StorePath } from '../domain/checkpoint/stored.ts';
import type { ChannelMessage, Delivery } from '../domain/effect.ts';
import type { Engine } from '../domain/engine.ts';
import type { GitExporter, GitReader, GitWriter } from '../domain/git.ts';
import type { ReadExperiment } from '../domain/launch/change-facts.ts';
import type { Digest, Instant, Observed } from '../domain/values.ts';
import type { GitHubClient } from '../github/call.ts';
import type { SigningKeys } from '../logbook/append.ts';
import type { Hash, VerifySignature } from '../logbook/chain.ts';
import type { LabConfig } from '../run/lane.ts';
import type { Helpers } from '../run/proposing.ts';
import type { ImageReader } from './images.ts';
import type { FixAnswer, FixQuestion } from './small-fix.ts';

/** The lab's name and email for commits and tags. */
export type GitIdentity = { readonly name: string; readonly email: string };

export type LabGit = GitReader & GitWriter & GitExporter;

/** The engine of a cluster; null if this machine has none. */
export type EngineLookup = (config: LabConfig, cluster: string) => Engine | null;

/** The TPU VMs of a cluster; null if the config does not describe them. */
export type CloudLookup = (config: LabConfig, cluster: string) => TpuCloud | null;

/** Writes one redacted line to the process log. */
export type Log = (line: string, fields?: Readonly<Record<string, string | number>>) => void;

/** Called around each effect; the crash tests stop the process here. */
export type Boundary = (kind: string, moment: 'before' | 'after') => void;

export type Lab = {
  /** `owner/name`. */
  readonly repository: string;
  readonly client: GitHubClient;
  /** Git that commits with the identity from the config. */
  readonly gitAs: (identity: GitIdentity) => LabGit;
  /** Private keys of this process; it can only write what their roles allow. */
  readonly signingKeys: SigningKeys;
  readonly hash: Hash;
  readonly digestOf: (text: string) => Digest;
  readonly verifySignature: VerifySignature;
  /** Reads an experiment file with a lane's interpreter, in a child process. */
  readonly readExperiment: ReadExperiment;
  /** Minor version of a lane's interpreter, such as `3.11`. */
  readonly pythonVersion: (python: string) => Promise<Observed<string>>;
  /** Asks a lane's interpreter to correct a small mistake. */
  readonly fixSmallMistake: (question: FixQuestion, python: string) => Promise<Observed<FixAnswer>>;
  /** The lab's own programs: its proposer and its checks before a push. */
  readonly helpers: Helpers;
  /** Sends a message to a channel outside of GitHub. Never throws. */
  readonly sendToChannel: (
    channel: LabConfig['onCall']['channels'][string],
    message: ChannelMessage,
  ) => Promise<Delivery>;
  /** Read access to checkpoint stores. Only the process that executes an approval can delete. */
  readonly stores: (path: StorePath) => Observed<CheckpointReader>;
  readonly images: ImageReader;
  readonly now: () => Instant;
  readonly log: Log;
  readonly boundary: Boundary;
};
