// Has conversations through the gateway at argv[2] with the official OpenAI client. The provider behind it is scripted by the
// model's name and tells what it was sent. Ends with "ok".
import assert from 'node:assert/strict';
import OpenAI, { APIError, AuthenticationError, BadRequestError, InternalServerError, RateLimitError } from 'openai';

const client = new OpenAI({
  baseURL: process.argv[2],
  apiKey: 'sk-provider',
  maxRetries: 0,
  defaultHeaders: { 'x-recallgate-memory': 'off', 'x-recallgate-session': 'clients' },
});
const messages = [{ role: 'user', content: 'Is it raining?' }];
const failing = (promise, type, check) => assert.rejects(promise, (error) => {
  assert.ok(error instanceof type, `${error.constructor.name}: ${error.message}`);
  check(error);
  return true;
});

const plain = await client.chat.completions.create({ model: 'plain', messages }).withResponse();
assert.equal(plain.data.choices[0].message.content, 'It is.');
assert.equal(plain.data.usage.total_tokens, 7);
assert.equal(plain.response.headers.get('x-recallgate-session'), 'clients');
assert.equal(plain.response.headers.get('x-recallgate-window'), 'passthrough');
assert.equal(plain.request_id, 'req_provider');
assert.equal(plain.response.headers.get('x-seen-authorization'), 'Bearer sk-provider');

let said = '';
let usage;
const stream = await client.chat.completions.create({
  model: 'stream', messages, stream: true, stream_options: { include_usage: true },
});
for await (const chunk of stream) {
  said += chunk.choices[0]?.delta?.content ?? '';
  usage = chunk.usage ?? usage;
}
assert.equal(said, 'It is raining.');
assert.equal(usage.total_tokens, 9);

const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } } }];
const calls = {};
for await (const chunk of await client.chat.completions.create({ model: 'tools', messages, tools, stream: true })) {
  for (const call of chunk.choices[0]?.delta?.tool_calls ?? []) {
    calls[call.index] ??= { id: call.id, name: call.function.name, text: '' };
    calls[call.index].text += call.function.arguments ?? '';
  }
}
assert.deepEqual(Object.values(calls).map((call) => [call.id, call.name, JSON.parse(call.text).city]), [
  ['call_1', 'weather', 'Rome'],
  ['call_2', 'weather', 'Oslo'],
]);
const answered = [
  ...messages,
  {
    role: 'assistant',
    content: null,
    tool_calls: Object.values(calls).map(({ id, name, text }) => ({ id, type: 'function', function: { name, arguments: text } })),
  },
  ...Object.values(calls).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'rain' })),
];
const echoed = await client.chat.completions.create({ model: 'echo', messages: answered, tools });
assert.deepEqual(JSON.parse(echoed.choices[0].message.content).messages, answered);

const image = [{
  role: 'user',
  content: [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(400_000)}` } },
  ],
}];
const seen = await client.chat.completions.create({ model: 'echo', messages: image });
assert.deepEqual(JSON.parse(seen.choices[0].message.content).messages, image);

await failing(client.chat.completions.create({ model: 'error-401', messages }), AuthenticationError, (error) =>
  assert.equal(error.code, 'invalid_api_key'));
await failing(client.chat.completions.create({ model: 'error-429', messages }), RateLimitError, (error) => {
  assert.equal(error.headers.get('retry-after'), '3');
  assert.equal(error.headers.get('x-ratelimit-remaining-requests'), '0');
});
await failing(client.chat.completions.create({ model: 'error-500', messages }), InternalServerError, (error) =>
  assert.equal(error.status, 500));
await failing(client.chat.completions.create({ model: 'refuses', messages }), InternalServerError, (error) => {
  assert.equal(error.status, 502);
  assert.equal(error.code, 'upstream_failed');
});
await failing(
  client.chat.completions.create({ model: 'plain', messages }, { headers: { 'x-recallgate-memory': 'perhaps' } }),
  BadRequestError,
  (error) => assert.equal(error.param, 'x-recallgate-memory'));

for (const [model, code] of [['says-error', 'server_error_code'], ['breaks', 'upstream_failed']]) {
  let before = '';
  await failing((async () => {
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
      before += chunk.choices[0]?.delta?.content ?? '';
    }
  })(), APIError, (error) => assert.equal(error.code, code));
  assert.equal(before, 'It is');
}

// The client's own retry: the second try is answered.
const retrying = client.withOptions({ maxRetries: 2 });
const retried = await retrying.chat.completions.create({ model: 'once-503', messages });
assert.equal(retried.choices[0].message.content, 'It is.');
console.log('ok');
