/** The names of the metrics of the function that tells events, as it counts them and as the dashboard shows them. */
export const eventMetrics = {
  /** Events that the bus took, repetitions included. */
  told: 'EventsTold',
} as const;
