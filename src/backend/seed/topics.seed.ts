/** Topics and entries of the sample data: what a page's agent may talk about. */
import { DAY_MS, inTurn, MINUTE_MS, SAMPLE_END_MS, twoDigits, type SampleRow } from './example.ts';
import type { TopicEntryRow, TopicRow } from '../database/tables.ts';
import sample from './sample.json' with { type: 'json' };

export function sampleTopics(titles: readonly string[], prefix: string) {
  const topics = titles.map((title, index): SampleRow<TopicRow> => {
    const createdAt = SAMPLE_END_MS - (200 - index) * DAY_MS;
    return {
      topicId: `${prefix}_${twoDigits(index + 1)}`,
      title,
      purpose: index % 4 === 3 ? null : `What to say when somebody asks about: ${title}.`,
      // Duplicate, missing and fractional orders, as after years of use.
      sortOrder: index % 10 === 9 ? index - 0.5 : Math.floor(index / 2) * 2,
      isDefault: index < 3,
      createdAt,
      updatedAt: createdAt + index * DAY_MS,
    };
  });
  const topicEntries = topics.flatMap((topic, index) =>
    Array.from({ length: entriesOf(index) }, (_, position): SampleRow<TopicEntryRow> => {
      const createdAt = topic.createdAt + position * 7 * MINUTE_MS;
      return {
        topicEntryId: `${topic.topicId.replace('topic', 'entry')}_${twoDigits(position + 1)}`,
        topicId: topic.topicId,
        sortOrder: position,
        content: {
          type: inTurn(sample.entryTypes, position),
          content: inTurn(sample.sentences, index + position),
        },
        createdAt,
        updatedAt: createdAt,
      };
    }),
  );
  return { topics, topicEntries };
}

/** The first topic has the most entries, the second none, and the others up to twenty. */
const entriesOf = (index: number): number =>
  index === 0 ? 40 : index === 1 ? 0 : (index * 8) % 21;
