/** Rents at most one machine for one job: checks for its label first, and checks again after a lost answer. */

import { execa } from 'execa';
import { z } from 'zod';
import type { Job, JobSpec, SubmitOutcome } from '../../domain/engine.ts';
import { formatNumber } from '../../domain/values.ts';
import {
  buildJob,
  checkFiles,
  checkFolder,
  checkSpec,
  findConflict,
  type Rejected,
  reject,
  type Unknown,
  unknownOutcome,
} from '../shared/kit.ts';
import {
  destroyInstance,
  type Instance,
  JOB_VARIABLE,
  listInstancesOfJob,
  OFFER_VARIABLE,
  readMetadata,
} from './account.ts';
import { instanceLabel } from './definition.ts';
import { chooseOffers, explainChoice, type Offer, type OfferChoice, searchOffers } from './market.ts';
import { call, type NoAnswer, readVastSession, VAST, type VastSettings } from './request.ts';

// The bash script around the job's command on an instance: it unpacks the tree, logs positions of the log, and ends the instance.

/**
 * `"$@"` is the command. It starts once, even if the container restarts, and without the keys of the instance. Now and then
 * the script logs the length of the log in bytes, so that the last lines show their position. A line of the command in this
 * format gets a leading blank, so that no job can report its end while it runs. After the command's end the instance waits
 * `endGraceMinutes`, so that its log can be read, and destroys itself. It also destroys itself after its longest lifetime,
 * even without a watch. It repeats the request until it is gone: an API outage of an hour costs only that hour.
 */
const WRAPPER = String.raw`
export LC_ALL=C
umask 077
mark="::ferrybot $FERRYBOT_SUBMISSION_ID"
root="$PWD/.ferrybot"
destroy() {
  while :; do
    if command -v curl >/dev/null; then
      printf 'header = "Authorization: Bearer %s"\n' "$CONTAINER_API_KEY" |
        curl -sS -m 60 -o /dev/null -K - -X DELETE -H 'content-type: application/json' -d '{}' "$FERRYBOT_API/api/v0/instances/$CONTAINER_ID/"
    else
      python3 -c 'import os, urllib.request as r
r.urlopen(r.Request(os.environ["FERRYBOT_API"] + "/api/v0/instances/" + os.environ["CONTAINER_ID"] + "/", b"{}", {"Authorization": "Bearer " + os.environ["CONTAINER_API_KEY"], "content-type": "application/json"}, method="DELETE"), timeout=60)'
    fi
    sleep 30
  done
}
( sleep "$FERRYBOT_LIFETIME_S"; destroy ) >/dev/null 2>&1 &
now() { date +%s%3N; }
begun=$(now)
over() {
  printf '%s end %s %s %s::\n' "$mark" "$begun" "$(now)" "$(cat "$root/code" 2>/dev/null || printf 98)"
  sleep "$FERRYBOT_GRACE_S"
  destroy >/dev/null 2>&1
}
mkdir "$root" || { over; exit 98; }
printf '%s at 0::\n' "$mark"
mkdir "$root/tree"
parts=""
for name in $(compgen -v FERRYBOT_TREE_ | sort -t_ -k3n); do parts="$parts$(printenv "$name")"; unset "$name"; done
if printf '%s' "$parts" | base64 -d | tar -xz -C "$root/tree"; then
  unset parts
  (
    cd "$root/tree" || exit 97
    set +e
    env -u CONTAINER_API_KEY -u FERRYBOT_JOB -u FERRYBOT_API -u FERRYBOT_OFFER "$@" 2>&1
    printf '%s' "$?" > "$root/code"
  ) | {
    at=0 told=0 lines=0
    while IFS= read -r line || [ -n "$line" ]; do
      case "$line" in "$mark "*) line=" $line" ;; esac
      printf '%s\n' "$line"
      at=$((at + ${'$'}{#line} + 1)) lines=$((lines + 1))
      if [ $((at - told)) -ge 65536 ] || [ $((lines % 100)) -eq 0 ]; then printf '%s at %s::\n' "$mark" "$at"; told=$at; fi
    done
    printf '%s at %s::\n' "$mark" "$at"
  }
else
  printf '97' > "$root/code"
fi
over
`.trim();

/** Variables of the wrapper, of the instance and of GitHub: a stranger owns the host. */
const NOT_FOR_A_RENTED_HOST = /^(FERRYBOT_.*|CONTAINER_.*|VAST_.*|GITHUB_.*|GH_TOKEN|ACTIONS_.*|RUNNER_.*)$/;
const GITHUB_TOKEN = /\b(gh[opsur]_[A-Za-z0-9_]{16,}|github_pat_[A-Za-z0-9_]{20,})/;

type Submitting = {
  readonly settings: VastSettings;
  readonly spec: JobSpec;
  readonly session: string;
  readonly tree: Readonly<Record<string, string>>;
};

/** Null: the offer was not available, and nothing was rented. */
type RentAttempt = SubmitOutcome | null;

/** Submits. Only a plain success counts; after any other answer the account decides what exists. */
export async function submitOnVast(settings: VastSettings, spec: JobSpec): Promise<SubmitOutcome> {
  const refusal = findVastRefusal(spec, settings.key);
  if (refusal !== null) return refusal;
  const session = await readVastSession(settings);
  if (session.kind === 'unknown') return toSubmitOutcome(session);
  const there = await findExisting(settings, spec);
  if (there.kind === 'mine') return adoptInstance(settings, spec, session.id, there.instance);
  if (there.kind !== 'none') return there;
  if (spec.adoptOnly === true) return { kind: 'absent' };
  const packed = await packTree(spec);
  if (packed.kind === 'rejected') return packed;
  const market = await searchOffers(settings);
  if (market.kind === 'unknown') return toSubmitOutcome(market);
  const choice = chooseOffers(market.value, settings.cluster, spec.avoidMachines);
  const stand: Submitting = { settings, spec, session: session.id, tree: packed.variables };
  for (const offer of choice.fitting.slice(0, VAST.offersTried)) {
    const tried = await rentOffer(stand, offer, choice);
    if (tried !== null) return tried;
  }
  return reject(
    'refused',
    `none of ${market.value.length} offers could be rented: ${choice.fitting.length} fit, ${JSON.stringify(choice.unfit)} do not`,
  );
}

/** `none`: the account certainly has no instance for the job. */
type ExistingInstance =
  | { readonly kind: 'none' }
  | { readonly kind: 'mine'; readonly instance: Instance }
  | Extract<SubmitOutcome, { kind: 'rejected' | 'conflict' | 'unknown' }>;

async function findExisting(settings: VastSettings, spec: JobSpec): Promise<ExistingInstance> {
  const found = await listInstancesOfJob(settings, spec.submissionId);
  if (found.kind === 'unknown') return toSubmitOutcome(found);
  const [instance] = found.value;
  if (instance === undefined) return { kind: 'none' };
  return findConflict(readMetadata(instance), spec) ?? { kind: 'mine', instance };
}

/** Adopts the instance of an earlier call, under the same price cap as a new one. */
async function adoptInstance(
  settings: VastSettings,
  spec: JobSpec,
  session: string,
  { id, dph_total: price }: Instance,
): Promise<SubmitOutcome> {
  const why = findPriceProblem(settings, id, price);
  if (why === null) return { kind: 'adopted', job: toJob(settings, spec, session, id) };
  if (price === null) return unknownOutcome(why);
  return (await destroyUnused(settings, id, why)) ?? reject('refused', `instance ${id} was given back: ${why}`);
}

const created = z.object({ success: z.literal(true), new_contract: z.int() });
/** A failed create may still have made an instance. */
const failed = z.object({ new_contract: z.int() });

async function rentOffer(stand: Submitting, offer: Offer, choice: OfferChoice): Promise<RentAttempt> {
  const { settings, spec } = stand;
  const secrets = Object.values(spec.env);
  const body = buildCreateBody(stand, explainChoice(offer, choice));
  const answer = await call(settings, { method: 'PUT', path: `/api/v0/asks/${offer.id}/`, body, secrets }, created);
  if (answer.kind === 'said') return checkPrice(stand, answer.value.new_contract);
  const made = failed.safeParse(answer.body).data?.new_contract ?? null;
  if (made !== null) return destroyUnused(settings, made, answer.message);
  return settleUnanswered(stand, answer);
}

/**
 * A host may raise its price between the search and the creation, so the price of the instance itself decides. An instance
 * without a known price is not kept.
 */
async function checkPrice({ settings, spec, session }: Submitting, id: number): Promise<RentAttempt> {
  const why = findPriceProblem(settings, id, await readPrice(settings, spec, id));
  if (why !== null) return destroyUnused(settings, id, why);
  return { kind: 'submitted', job: toJob(settings, spec, session, id) };
}

/** Dollars per hour; null if several reads of the account did not contain the price. */
async function readPrice(settings: VastSettings, spec: JobSpec, id: number): Promise<number | null> {
  for (const pauseMs of VAST.lookAgainMs) {
    await settings.sleep(pauseMs);
    const found = await listInstancesOfJob(settings, spec.submissionId);
    const mine = found.kind === 'said' ? found.value.find((one) => one.id === id) : undefined;
    if (mine !== undefined && mine.dph_total !== null) return mine.dph_total;
  }
  return null;
}

/** Why an instance may not be kept at this price; null: it may. */
function findPriceProblem({ cluster }: VastSettings, id: number, price: number | null): string | null {
  if (price === null) return `the account does not say what instance ${id} costs`;
  return price > Number(cluster.dollarsPerHourMax)
    ? `it costs $${formatNumber(price)} an hour, more than $${cluster.dollarsPerHourMax}`
    : null;
}

/** Destroys an instance that should not have been rented. Another offer is tried only after the instance is gone. */
async function destroyUnused(settings: VastSettings, id: number, why: string): Promise<Unknown | null> {
  const gone = await destroyInstance(settings, id);
  return gone.kind === 'destroyed' ? null : unknownOutcome(`${why}; ${gone.message}`);
}

/** Settles a create without a usable answer: the label decides, checked for as long as the request may be in transit. */
async function settleUnanswered(stand: Submitting, answer: NoAnswer): Promise<RentAttempt> {
  const { settings, spec } = stand;
  for (const pauseMs of VAST.lookAgainMs) {
    await settings.sleep(pauseMs);
    const found = await findExisting(settings, spec);
    if (found.kind === 'mine') return checkPrice(stand, found.instance.id);
    if (found.kind === 'conflict' || found.kind === 'rejected') return found;
    if (found.kind === 'unknown') continue;
    if (answer.cause === 'refused') return isOfferGone(answer) ? null : reject('refused', answer.message);
    if (answer.cause === 'no-key' || answer.cause === 'not-sent') return toSubmitOutcome(answer);
  }
  return unknownOutcome(`the creation was not confirmed: ${answer.message}`);
}

/** Whether the offer was taken or withdrawn. */
function isOfferGone({ status }: NoAnswer): boolean {
  // rule VA-07
  return status === 404 || status === 410;
}

function buildCreateBody({ settings, spec, tree }: Submitting, why: string): object {
  const { cluster } = settings;
  return {
    client_id: 'me',
    image: cluster.image,
    disk: cluster.diskGb,
    label: instanceLabel(cluster, spec.submissionId),
    runtype: 'args',
    args: ['bash', '-c', WRAPPER, 'ferrybot', ...spec.command],
    // On demand: no bid, and no stopped instance if the machine is not available.
    price: null,
    cancel_unavail: true,
    env: {
      ...spec.env,
      ...tree,
      [JOB_VARIABLE]: JSON.stringify(spec.metadata),
      [OFFER_VARIABLE]: why,
      FERRYBOT_SUBMISSION_ID: spec.submissionId,
      FERRYBOT_API: new URL(cluster.api).origin,
      FERRYBOT_LIFETIME_S: String(cluster.hoursMax * 3_600),
      FERRYBOT_GRACE_S: String(cluster.endGraceMinutes * 60),
    },
  };
}

function toJob({ cluster }: VastSettings, spec: JobSpec, session: string, id: Instance['id']): Job {
  return buildJob('vast', spec, session, new URL(`/instances/?instance=${id}`, cluster.api).href);
}

function toSubmitOutcome({ cause, message }: NoAnswer): Rejected | Unknown {
  return cause === 'no-key' ? reject('unauthorized', message) : { kind: 'unknown', message };
}

/** The shipped tree as variables of an instance, because runner and instance share no folder. */
type PackedTree = { readonly kind: 'packed'; readonly variables: Readonly<Record<string, string>> } | Rejected;

/** Packs the approved files byte for byte. Refuses a tree that is too large for this way. */
async function packTree(spec: JobSpec): Promise<PackedTree> {
  const { workingDirectory } = spec;
  const refusal = (await checkFolder(spec)) ?? (await checkFiles(workingDirectory, spec));
  if (refusal !== null) return refusal;
  const tar = await execa(
    'tar',
    ['--create', '--gzip', '--owner=0', '--group=0', '--directory', workingDirectory, '.'],
    { encoding: 'buffer', reject: false, maxBuffer: VAST.packageBytesMax + 1, stdin: 'ignore' },
  );
  if (tar.isMaxBuffer || (!tar.failed && tar.stdout.length > VAST.packageBytesMax))
    return reject(
      'refused',
      `the shipped tree has more than ${VAST.packageBytesMax} bytes when it is packed, which is what can be handed over with the creation: ship less, or build it into the image`,
    );
  if (tar.failed) return reject('refused', `the shipped tree could not be packed: ${tar.shortMessage}`);
  const text = Buffer.from(tar.stdout).toString('base64');
  const parts = Array.from({ length: Math.ceil(text.length / VAST.packagePartCharacters) }, (_, index) =>
    text.slice(index * VAST.packagePartCharacters, (index + 1) * VAST.packagePartCharacters),
  );
  return {
    kind: 'packed',
    variables: Object.fromEntries(parts.map((part, index) => [`FERRYBOT_TREE_${index}`, part])),
  };
}

function findVastRefusal(spec: JobSpec, key: string | null): Rejected | null {
  return checkSpec(spec, {
    isGiven: (name, value) =>
      /^[A-Za-z_]\w*$/.test(name) && !NOT_FOR_A_RENTED_HOST.test(name) && !GITHUB_TOKEN.test(value) && value !== key,
    complaint: (names) => `no rented machine is given the variable ${names}: its host is a stranger`,
  });
}
