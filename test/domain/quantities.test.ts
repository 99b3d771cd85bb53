import { describe, expect, it } from 'vitest';
import { formatDuration, formatMoney, formatNumber } from '../../src/domain/values.ts';

describe('a figure', () => {
  it.each([
    ['1.7297483076330114', '1.73'],
    ['0.0002593749999999996', '0.0002594'],
    ['3.46797', '3.468'],
    [1_234_567, '1235000'],
    ['120', '120'],
    ['1.80580', '1.806'],
    ['nan', 'nan'],
    ['', ''],
  ])('shows %j as %j', (value, shown) => {
    expect(formatNumber(value)).toBe(shown);
  });
});

describe('a duration', () => {
  const [second, minute, hour] = [1_000, 60_000, 3_600_000];
  it.each([
    [0, '0 s'],
    [19 * second, '19 s'],
    [60 * second, '1 min'],
    [570 * second, '9.5 min'],
    [hour, '1 h'],
    [2.5 * hour, '2.5 h'],
    [47 * hour + 30 * minute, '47.5 h'],
    [72 * hour, '3 d'],
  ])('has one unit: %d ms is %j', (ms, shown) => {
    expect(formatDuration(ms)).toBe(shown);
  });
});

describe('an amount of money', () => {
  it.each([
    [0, '$0.00'],
    ['8.100', '$8.10'],
    ['12', '$12.00'],
    [0.3667, '$0.37'],
  ])('has cents: %j is %j', (dollars, shown) => {
    expect(formatMoney(dollars)).toBe(shown);
  });
});
