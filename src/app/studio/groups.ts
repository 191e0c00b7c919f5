/**
 * @file Runs that differ in nothing but the seed, by their names.
 *
 *     beta/betaMax=1/seed-0, beta/betaMax=1/seed-1     ->  beta/betaMax=1
 *     headline/lstm-seed-3                             ->  headline/lstm
 */

export const runGroup = (name: string): string => name.replace(/[/\\-]?seed-\d+$/, "");
