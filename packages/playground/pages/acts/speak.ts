/** Changes the speaker of this browser. */
import type { ActHandler } from '../visit.ts';
import { refuseAct } from './outcome.ts';

export const speakerCookie = 'playground_speaker';

/** Only checks that the person exists; the page sets the cookie. */
export const chooseSpeaker: ActHandler = async (visit, _params, form) => {
  const login = form.get('speaker') ?? '';
  if (!visit.people.some((person) => person.login === login)) return refuseAct('There is no such person here.');
  const back = form.get('back') ?? '/';
  return { kind: 'done', to: /^\/(?![/\\])/.test(back) ? back : '/' };
};
