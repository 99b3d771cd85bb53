/** Clicks a button that an App put on its check run. */
import { repoPath } from '../place.ts';
import type { ActHandler } from '../visit.ts';
import { refuseAct } from './outcome.ts';

export const pressCheckButton: ActHandler = async (visit, params, form) => {
  const { owner = '', repo = '', check = '' } = params;
  const press = {
    owner,
    repo,
    checkRunId: Number(check),
    identifier: form.get('button') ?? '',
    login: visit.speaker.login,
  };
  const outcome = await visit.pressButton(press);
  switch (outcome) {
    case 'pressed':
      return { kind: 'done', to: `${repoPath(params)}/runs/${check}` };
    case 'forbidden':
      return { kind: 'refused', status: 403, message: 'Only who may write can press this button.' };
    case 'unknown':
      return refuseAct('This check run has no such button.');
  }
};
