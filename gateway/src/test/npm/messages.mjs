// Has conversations through the gateway at argv[2] with the official Anthropic client. The provider behind it is scripted by
// the model's name and tells what it was sent. Ends with "ok".
import assert from 'node:assert/strict';
import Anthropic, { APIError, AuthenticationError, BadRequestError, InternalServerError, RateLimitError } from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: process.argv[2].replace(/\/v1$/, ''),
  apiKey: 'sk-ant-provider',
  maxRetries: 0,
  defaultHeaders: { 'x-recallgate-memory': 'off', 'x-recallgate-session': 'clients' },
});
const messages = [{ role: 'user', content: 'Is it raining?' }];
const ask = (model, more = {}) => client.messages.create({ model, max_tokens: 100, messages, ...more });
const failing = (promise, type, check) => assert.rejects(promise, (error) => {
  assert.ok(error instanceof type, `${error.constructor.name}: ${error.message}`);
  check(error);
  return true;
});

const plain = await ask('plain').withResponse();
assert.equal(plain.data.content[0].text, 'It is.');
assert.equal(plain.data.usage.output_tokens, 3);
assert.equal(plain.response.headers.get('x-recallgate-session'), 'clients');
assert.equal(plain.response.headers.get('x-recallgate-window'), 'passthrough');
assert.equal(plain.request_id, 'req_provider');
assert.match(
  plain.response.headers.get('x-seen-authorization') + plain.response.headers.get('x-seen-x-api-key'), /sk-ant-provider/);
assert.ok(plain.response.headers.get('x-seen-anthropic-version'));

const streamed = client.messages.stream({ model: 'stream', max_tokens: 100, messages });
const events = [];
streamed.on('streamEvent', (event) => events.push(event.type));
const whole = await streamed.finalMessage();
assert.equal(whole.content[0].text, 'It is raining.');
assert.equal(whole.stop_reason, 'end_turn');
assert.equal(whole.usage.output_tokens, 5);
assert.equal(events.at(-1), 'message_stop');

const tools = [{ name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }];
const called = await client.messages.stream({ model: 'tools', max_tokens: 100, messages, tools }).finalMessage();
assert.deepEqual(called.content.map((block) => [block.type, block.id, block.input.city]), [
  ['tool_use', 'toolu_1', 'Rome'],
  ['tool_use', 'toolu_2', 'Oslo'],
]);
const answered = [
  ...messages,
  { role: 'assistant', content: called.content.map(({ type, id, name, input }) => ({ type, id, name, input })) },
  { role: 'user', content: called.content.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'rain' })) },
];
const echoed = await ask('echo', { messages: answered, tools });
assert.deepEqual(JSON.parse(echoed.content[0].text).messages, answered);

const image = [{
  role: 'user',
  content: [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(400_000) } },
    { type: 'text', text: 'What is this?', cache_control: { type: 'ephemeral' } },
  ],
}];
const seen = await ask('echo', { messages: image });
assert.deepEqual(JSON.parse(seen.content[0].text).messages, image);

await failing(ask('error-401'), AuthenticationError, (error) =>
  assert.equal(error.error.error.type, 'authentication_error'));
await failing(ask('error-429'), RateLimitError, (error) => {
  assert.equal(error.headers.get('retry-after'), '3');
  assert.equal(error.headers.get('anthropic-ratelimit-requests-remaining'), '0');
});
await failing(ask('error-500'), InternalServerError, (error) => assert.equal(error.error.error.type, 'api_error'));
await failing(ask('error-529'), InternalServerError, (error) => {
  assert.equal(error.status, 529);
  assert.equal(error.error.error.type, 'overloaded_error');
});
await failing(ask('refuses'), InternalServerError, (error) => {
  assert.equal(error.status, 502);
  assert.equal(error.error.error.type, 'api_error');
});
await failing(
  client.messages.create({ model: 'plain', max_tokens: 1, messages }, { headers: { 'x-recallgate-memory': 'perhaps' } }),
  BadRequestError,
  (error) => assert.match(error.message, /x-recallgate-memory/));

for (const [model, type] of [['says-error', 'overloaded_error'], ['breaks', 'api_error']]) {
  let before = '';
  await failing((async () => {
    for await (const event of await ask(model, { stream: true })) {
      before += event.delta?.text ?? '';
    }
  })(), APIError, (error) => assert.ok(JSON.stringify(error.error).includes(type), JSON.stringify(error.error)));
  assert.equal(before, 'It is');
}

const retrying = client.withOptions({ maxRetries: 2 });
const retried = await retrying.messages.create({ model: 'once-503', max_tokens: 100, messages });
assert.equal(retried.content[0].text, 'It is.');
console.log('ok');
