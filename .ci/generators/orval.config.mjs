export default {
  testimonials: {
    input: `${process.env.TESTIMONIALS_URL}/docs/openapi.json`,
    output: { target: 'orval/api.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } },
  },
};
