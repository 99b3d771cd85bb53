/** Clicks a button that an App put on its check run. */
import { pathOf } from '../place.ts';
import type { ActHandler } from '../visit.ts';
import { refuse } from './outcome.ts';

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
      return { kind: 'done', to: `${pathOf(params)}/runs/${check}` };
    case 'forbidden':
      return { kind: 'refused', status: 403, message: 'Only who may write can press this button.' };
    case 'unknown':
      return refuse('This check run has no such button.');
  }
};
