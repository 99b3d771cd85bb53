/** The recorded responses as templates: words and shapes are Ray's, ids and times are filled in. */

import { type Question, RECORDED_JOB, type RecordedAnswer, recordingSchema } from './record-ray.ts';

export type RecordedAnswers = {
  /**
   * A recorded JSON object with other values for some of its keys; throws for a key that Ray does not have.
   */
  readonly json: (question: Question, values: Readonly<Record<string, unknown>>) => RecordedAnswer;
  /** A recorded text about another job. */
  readonly text: (question: Question, jobId: string) => RecordedAnswer;
};

/** Templates from the content of fixtures/ray/answers.json. */
export function recordedAnswers(content: string): RecordedAnswers {
  const { answers } = recordingSchema.parse(JSON.parse(content));
  return {
    json: (question, values) => {
      const answer = answers[question];
      const body = typeof answer.body === 'object' && answer.body !== null ? answer.body : {};
      const strange = Object.keys(values).filter((key) => !Object.hasOwn(body, key));
      if (strange.length > 0) throw new Error(`${question} has no ${strange.join(', ')}`);
      return { ...answer, body: { ...body, ...values } };
    },
    text: (question, jobId) => {
      const answer = answers[question];
      return { ...answer, body: String(answer.body).replaceAll(RECORDED_JOB, jobId) };
    },
  };
}
