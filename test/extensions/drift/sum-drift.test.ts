/** The drift reports of several workers as one. */
import { expect, it } from 'vitest';
import { sumDrift, type DriftReport } from '../../../src/extensions/drift/sum-drift.ts';

const [EARLY, MIDDLE, LATE] = [1, 2, 3].map((day) => `2026-01-0${day}T00:00:00.000Z`) as [
  string,
  string,
  string,
];
const PAGE = 'GET /v0/pages/{page_id}';
const TOPICS = 'GET /v0/topics';

const report = (given: Partial<DriftReport>): DriftReport => ({
  ...{ since: MIDDLE, answers: [], departures: [], unseen: [] },
  ...given,
});
const departure = { route: PAGE, field: 'name', fields: [], documents: [] };
const answersOf = (route: string, answers: number) => ({ route, answers, looked: 1 });

it('sumDrift adds counts up, and takes the earliest and the latest of the times', () => {
  const name = { ...departure, kind: 'other_type' as const };
  const missing = { ...departure, kind: 'missing_field' as const };

  const sum = sumDrift([
    report({
      answers: [answersOf(PAGE, 5)],
      departures: [{ ...name, count: 2, firstAt: MIDDLE, lastAt: LATE }],
    }),
    report({
      since: EARLY,
      answers: [answersOf(PAGE, 7), answersOf(TOPICS, 1)],
      departures: [
        { ...name, count: 3, firstAt: EARLY, lastAt: MIDDLE },
        { ...missing, count: 1, firstAt: LATE, lastAt: LATE },
      ],
    }),
  ]);

  expect(sum).toEqual({
    since: EARLY,
    answers: [{ route: PAGE, answers: 12, looked: 2 }, answersOf(TOPICS, 1)],
    departures: [
      { ...name, count: 5, firstAt: EARLY, lastAt: LATE },
      { ...missing, count: 1, firstAt: LATE, lastAt: LATE },
    ],
    unseen: [],
  });
});

it('sumDrift reports a field as unseen when no worker that inspected its route has seen it', () => {
  const unseen = (field: string, since: string) => ({ route: PAGE, field, since });
  const answers = [answersOf(PAGE, 1)];

  const sum = sumDrift([
    report({ answers, unseen: [unseen('name', EARLY), unseen('status', EARLY)] }),
    report({ answers, unseen: [unseen('name', MIDDLE)] }),
    report({ answers: [answersOf(TOPICS, 1)] }),
  ]);

  expect(sum.unseen).toEqual([unseen('name', MIDDLE)]);
});
