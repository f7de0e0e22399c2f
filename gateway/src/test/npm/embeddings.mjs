// Speaks to the gateway at argv[2] with the official client and asserts what its users rely on. Ends with "ok".
import assert from 'node:assert/strict';
import OpenAI, { AuthenticationError, BadRequestError, NotFoundError, RateLimitError } from 'openai';

const [baseURL, dimensions] = [process.argv[2], Number(process.argv[3])];
const client = new OpenAI({ baseURL, apiKey: 'any', maxRetries: 0 });
const model = 'e5-small-v2-q';
const close = (a, b) => Math.abs(a - b) < 1e-6;
const length = (vector) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));

const models = await client.models.list();
assert.equal(models.data.length, 1);
assert.equal(models.data[0].id, model);
assert.equal((await client.models.retrieve(model)).id, model);

// The client asks for base64 when nothing is said, and decodes it itself.
const usual = await client.embeddings.create({ model, input: 'The cat sleeps.' });
assert.equal(usual.object, 'list');
assert.equal(usual.model, model);
assert.equal(usual.data[0].embedding.length, dimensions);
assert.ok(usual.data[0].embedding.every((value) => typeof value === 'number'));
assert.ok(Math.abs(length(usual.data[0].embedding) - 1) < 1e-3);
assert.ok(usual.usage.prompt_tokens > 0 && usual.usage.total_tokens === usual.usage.prompt_tokens);

const floats = await client.embeddings.create({ model, input: 'The cat sleeps.', encoding_format: 'float' });
floats.data[0].embedding.forEach((value, i) => assert.ok(close(value, usual.data[0].embedding[i])));

const base64 = await client.embeddings.create({ model, input: 'The cat sleeps.', encoding_format: 'base64' });
assert.equal(Buffer.from(base64.data[0].embedding, 'base64').length, dimensions * 4);

const cut = await client.embeddings.create({ model, input: 'The cat sleeps.', dimensions: 4 });
assert.equal(cut.data[0].embedding.length, 4);
assert.ok(Math.abs(length(cut.data[0].embedding) - 1) < 1e-3);

const many = await client.embeddings.create({ model, input: ['one', 'two', 'three'] });
assert.deepEqual(many.data.map((entry) => entry.index), [0, 1, 2]);
assert.equal((await client.embeddings.create({ model, input: [1037, 4937] })).data.length, 1);
assert.equal((await client.embeddings.create({ model, input: [[1037], [4937]] })).data.length, 2);

const withResponse = await client.embeddings.create({ model, input: 'word '.repeat(3000) }).withResponse();
assert.equal(withResponse.response.headers.get('x-recallgate-truncated'), '0');
assert.ok(withResponse.request_id);

const failing = (promise, type, check) => assert.rejects(promise, (error) => {
  assert.ok(error instanceof type, `${error.constructor.name}: ${error.message}`);
  check(error);
  return true;
});
await failing(client.embeddings.create({ model: 'text-embedding-3-small', input: 'x' }), NotFoundError, (error) => {
  assert.equal(error.code, 'model_not_found');
  assert.equal(error.param, 'model');
});
await failing(client.embeddings.create({ model, input: '' }), BadRequestError, (error) => {
  assert.equal(error.param, 'input');
  assert.equal(error.type, 'invalid_request_error');
});
await failing(client.embeddings.create({ model, input: 'x', dimensions: 100000 }), BadRequestError, (error) =>
  assert.equal(error.param, 'dimensions'));
await failing(client.embeddings.create({ model, input: Array(2049).fill('x') }), BadRequestError, (error) =>
  assert.equal(error.param, 'input'));
if (process.argv[4] === 'scripted') {
  await failing(client.embeddings.create({ model, input: 'overload' }), RateLimitError, (error) =>
    assert.equal(error.headers.get('retry-after'), '3'));
  await failing(client.embeddings.create({ model, input: 'unknown key' }), AuthenticationError, (error) =>
    assert.equal(error.code, 'invalid_api_key'));
}
console.log('ok');
