export default {
  input: `${process.env.TESTIMONIALS_URL}/docs/openapi.json`,
  output: { path: 'hey-api', module: { extension: '.ts' } },
  // Requests and responses are checked against the schemas.
  plugins: ['@hey-api/client-fetch', 'zod', { name: '@hey-api/sdk', validator: true }],
};
