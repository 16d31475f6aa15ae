/** What stands above the columns of the table of volumes. */
import type { Column } from '../../volumes/query.ts';

export const COLUMN_TITLES: Readonly<Record<Column, string>> = {
  health: 'Health',
  name: 'Volume',
  claim: 'Claim',
  capacity: 'Capacity',
  class: 'Class',
  zone: 'Zone',
  node: 'Node',
  source: 'Source',
  age: 'Age',
};
