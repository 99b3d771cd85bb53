/** The schema of `.github/ferrybot.yml`. It describes every key and rejects unknown ones. */

import { z } from 'zod';
import { memoize } from '../domain/values.ts';
import { clusterSchema } from '../engines/registry.ts';
import { branch, name, orNull, setting, variable, word } from '../settings/words.ts';
import { approvalsSchema, onCallSchema, permissionsSchema } from './approvals-schema.ts';
import type { LaneConfig, LaneKind, LaneKinds, LaneSchema } from './lane-schema.ts';

/** RFC 3339 in UTC, with Z. */
const moment = z.iso.datetime({ offset: false, error: 'a moment in UTC in quotes, such as "2027-01-01T00:00:00Z"' });

/** A lane's name; run ids, tags and job ids contain it and have length limits. */
const laneName = z.string().regex(/^[a-z][a-z0-9-]{0,19}$/, 'at most 20 lower-case letters, digits and dashes');

const workflowFile = z.string().regex(/^[\w.-]+\.ya?ml$/, 'the name of a file under .github/workflows/');
const workflow = (name: string, does: string) =>
  setting(workflowFile, `ferrybot-${name}.yml`, `The workflow that ${does}`);

const key = z
  .strictObject({
    id: word.describe('Names the key in every event that it signs.'),
    role: z.enum(['control', 'runner', 'watch']).describe('What this key may write.'),
    public: z
      .string()
      .regex(
        /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/,
        '32 bytes in base64, 44 characters that end in one =; `openssl pkey -in KEY.pem -pubout -outform DER | tail -c 32 | base64` prints them',
      )
      .describe('Raw Ed25519 public key, base64.'),
    from: moment.describe('Events before this moment are not accepted under the key.'),
    until: moment.describe('Nor are events after this one.'),
  })
  .describe('A public key; the private half lives in the secret FERRYBOT_<ROLE>_KEY.');

const host = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,252}(?::\d{1,5})?$/, 'the name of a host, such as ghcr.io');

const registry = z
  .strictObject({
    address: orNull(
      z
        .string()
        .max(300)
        .regex(
          /^(?:https:\/\/[a-z0-9][a-z0-9.-]{0,252}|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?$/,
          'an address such as https://registry.example.org, without a path',
        ),
      'Its address. null: HTTPS under its own name. HTTP is allowed only for a registry on this machine.',
    ),
    alsoHosts: setting(
      z.array(host).max(10),
      [],
      'Other hosts that it may redirect to, by HTTPS: its token service and its blob storage. Blob storage gets no key.',
    ),
    user: setting(
      z.string().regex(/^[\w.@-]{1,100}$/, 'the name of an account'),
      'ferrybot',
      'User of the key; `oauth2accesstoken` for a Google token.',
    ),
    keyFrom: orNull(variable, 'Variable of control and launcher with a key that may pull there. null: anonymous.'),
  })
  .describe('A registry of containers, by the name that images there begin with.');

/** The registries that ferrybot may ask for the source commit of a container. It asks none unless the lab lists one. */
export const containersSchema = z
  .strictObject({
    registries: setting(
      z.record(host, registry),
      {},
      'Registries that ferrybot may ask; `docker.io` is Docker Hub. Images of other registries are never launched.',
    ),
  })
  .prefault({})
  .describe('What is asked of the containers that contracts name.');

const keys = {
  version: z.literal(1).describe('Version of this format.'),
  git: z
    .strictObject({
      name: name.regex(/^[^<>]*$/, 'a name without < and >').describe('Name of the committer and tagger.'),
      email: z.email().max(200).describe('Address of the committer and tagger.'),
    })
    .describe('Who commits and tags: the lab, never the bot.'),
  appSlug: setting(
    z.string().regex(/^[a-z0-9-]{1,34}$/, 'lower-case letters, digits and dashes'),
    'ferrybot',
    'Slug of the GitHub App, by which its comments are known; workflows speak as github-actions.',
  ),
  logbookBranch: setting(
    branch.regex(/^[A-Za-z0-9][A-Za-z0-9/_-]{0,99}$/, 'the name of a branch'),
    'ferrybot/logbook',
    'Branch of the logbook: an orphan branch without .github/, so that a push starts no workflow.',
  ),
  keys: z.array(key).min(1).max(50).describe('Public halves of the keys that sign events, one role each.'),
  approvals: approvalsSchema,
  permissions: permissionsSchema,
  onCall: onCallSchema,
  otherBots: setting(
    z.array(z.string().regex(/^\/[a-z][a-z0-9-]*$/, 'a slash word, such as "/retest"')).max(100),
    [],
    'Slash words of other bots, which ferrybot ignores.',
  ),
  workflows: z
    .strictObject({
      launch: workflow('launch', 'launches.'),
      watch: workflow('watch', 'watches.'),
      stop: workflow('stop', 'stops a job where no watch is seen to be alive.'),
      care: workflow('care', 'carries out changes of a cluster that were consented to.'),
      diskScan: workflow('disk-scan', 'scans the disks of workers, also after a job reported a full disk.'),
      fix: workflow('fix', 'asks a fixer of the lab, where a lane has one.'),
      chat: workflow('chat', 'answers comments.'),
      daily: workflow('daily', 'proposes.'),
      watchdog: workflow('watchdog', 'starts missing watches, also with a server.'),
    })
    .prefault({})
    .describe("ferrybot's files in .github/workflows/: it dispatches them, and ignores their checks."),
  containers: containersSchema,
  clusters: z
    .record(word, clusterSchema)
    .describe('Where jobs run. People use the name; the engine selects how ferrybot connects.'),
} as const;

/** The whole file, before and after defaults. Each kind defines the settings of its lanes. */
function buildConfigSchema(kinds: LaneKinds) {
  return z
    .strictObject({
      ...keys,
      lanes: z
        .record(laneName, buildLaneSchema(kinds))
        .refine((lanes) => Object.keys(lanes).length > 0, 'at least one lane')
        .describe(
          'What this lab launches repeatedly. People use the name; each lane has its own history and its own holds.',
        ),
    })
    .describe('What ferrybot may do in a repository: `.github/ferrybot.yml` on the default branch.');
}

function buildLaneSchema([first, ...others]: LaneKinds): z.ZodType<LaneConfig> {
  return others.length === 0
    ? first.settings
    : z.union([first.settings, ...others.map(({ settings }): LaneSchema => settings)]);
}

export type ConfigSchema = ReturnType<typeof buildConfigSchema>;

/** Cached per list of kinds, because building it takes some milliseconds. */
export const configSchema = memoize(buildConfigSchema, (kinds) => kinds.map(({ name }) => name).join(' '));

/** The config after defaults, with every key present, and the kinds of its lanes. */
export type LabConfig<K extends LaneKind = LaneKind> = z.infer<ConfigSchema> & { readonly kinds: LaneKinds<K> };
