/** Logins and teams in the config stand for the accounts that GitHub lists under them. */

import { afterEach, describe, expect, it } from 'vitest';
import { approve, propose, readState, until, untilState } from '../support/play.ts';
import { HOUR, listBotComments, listRepeatedComments, MINUTE, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  await lab.close();
});

const idOf = (login: string): number =>
  Object.values(lab.world.state.users).find((one) => one.login === login)?.id ?? 0;

/** The playground has no teams: these are answered in its place. */
const teams =
  (members: Readonly<Record<string, readonly string[]>>) =>
  async (request: Request, github: (request: Request) => Promise<Response>): Promise<Response> => {
    const team = /\/orgs\/lab\/teams\/([\w-]+)\/members/.exec(request.url)?.[1];
    if (team === undefined) return github(request);
    const found = members[team];
    return found === undefined
      ? Response.json({ message: 'Not Found' }, { status: 404 })
      : Response.json(found.map((login) => ({ id: idOf(login), login })));
  };

const named =
  (parts: { readonly inCharge?: string; readonly shift?: string; readonly approver?: string }) =>
  (config: string): string =>
    config
      .replace('inCharge: []', `inCharge: [${parts.inCharge ?? ''}]`)
      .replace(/^ {2}users: \[\]/m, `  users: [${parts.approver ?? ''}]`)
      .replace(
        /^onCall:\n(?: {2}.*\n)*/m,
        `onCall: { shifts: [${parts.shift === undefined ? '' : `{ users: [${parts.shift}] }`}] }\n`,
      );

describe('people named in the config', () => {
  it('are mentioned when an incident needs a person: a login, and the members of a team', async () => {
    lab = await openVirtualLab({
      ferry: { ...SHORT_FERRY, durationMs: 8 * HOUR },
      sweepMs: 10 * MINUTE,
      config: named({ inCharge: '"@ada"', shift: '"@lab/oncall"' }),
      network: teams({ oncall: ['ravi'] }),
    });
    const { pull, run } = await propose(lab);
    await approve(lab, 'mira', pull, run);
    await untilState(lab, run, (state) => state.observation != null, { stepMs: 5_000 });
    lab.engine.forgetEverything();
    await until(lab, 'an incident', async () => ((await readState(lab, run))?.incidents.length ?? 0) > 0);
    await lab.clock.advance(5 * MINUTE);
    const [page] = listBotComments(lab).filter(
      ({ kind, text }) => kind === 'notice' && text.includes('needs a person'),
    );
    expect(page?.text.match(/(?<!\w)@[\w-]+/g)).toEqual(['@ada', '@ravi']);
  });

  it.each([
    ['a member of a listed team', '"@lab/approvers"', { approvers: ['ada'] }, 1],
    ['a listed login', '"@Ada"', {}, 1],
    ['nobody for a team that GitHub does not show', '"@lab/approvers"', {}, 0],
    ['nobody outside of the team', '"@lab/approvers"', { approvers: ['ravi'] }, 0],
  ])('may approve with write permission: %s', async (_, approver, members, approvals) => {
    lab = await openVirtualLab({ config: named({ approver }), network: teams(members) });
    const { run, pull } = await propose(lab);
    await approve(lab, 'ada', pull, run);
    await lab.clock.advance(MINUTE);
    expect((await readState(lab, run))?.approvals).toHaveLength(approvals);
  });

  // threat T254
  it('may not approve eleven minutes after they left the listed team', async () => {
    const members = { approvers: ['ada'] };
    lab = await openVirtualLab({ config: named({ approver: '"@lab/approvers"' }), network: teams(members) });
    const { run, pull } = await propose(lab);
    members.approvers = [];
    await lab.clock.advance(11 * MINUTE);
    await approve(lab, 'ada', pull, run);
    await lab.clock.advance(MINUTE);
    expect((await readState(lab, run))?.approvals).toEqual([]);
  });
});
