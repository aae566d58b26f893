/** Brands of the sample data: those that its pages name. */
import type { BrandRow } from '../database/tables.ts';
import { DAY_MS, SAMPLE_END_MS, type SampleRow } from './sample-row.ts';

export const sampleBrands = (): SampleRow<BrandRow>[] =>
  ['Harbour', 'Lantern'].map((name, index) => {
    const createdAt = SAMPLE_END_MS - (300 - index) * DAY_MS;
    return { brandId: `brand_${name.toLowerCase()}`, name, createdAt, updatedAt: createdAt };
  });
