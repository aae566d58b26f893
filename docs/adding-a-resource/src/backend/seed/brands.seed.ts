/** Brands of the sample data: those of its pages. */
import type { BrandRow } from '../database/tables.ts';
import { DAY_MS, SAMPLE_END_MS, type SampleRow } from './example.ts';

export const sampleBrands = (): SampleRow<BrandRow>[] =>
  ['Harbour', 'Lantern'].map((name, index) => {
    const createdAt = SAMPLE_END_MS - (300 - index) * DAY_MS;
    const brandId = `brand_${name.toLowerCase()}`;
    return { brandId, name, status: 'active', createdAt, updatedAt: createdAt };
  });
