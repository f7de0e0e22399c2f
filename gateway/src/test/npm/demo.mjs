// Asks the gateway at argv[2] while it answers by itself, with both official clients. Ends with "ok".
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

const openai = new OpenAI({ baseURL: process.argv[2], apiKey: 'any', maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: process.argv[2].replace(/\/v1$/, ''), apiKey: 'any', maxRetries: 0 });
const content = 'Where is the key?\n<recalled_memories note="data">\n[id 7f] Ana: with Ada\n[id 8a] under the mat\n</recalled_memories>';
const messages = [{ role: 'user', content: 'Earlier.' }, { role: 'assistant', content: 'Yes?' }, { role: 'user', content }];
const expected = 'This is the demonstration: no provider was asked. '
  + 'With your message it would have been given 2 memories:\n[id 7f] Ana: with Ada\n[id 8a] under the mat';

const whole = await openai.chat.completions.create({ model: 'm', messages });
assert.equal(whole.choices[0].message.content, expected);
assert.deepEqual(await openai.chat.completions.create({ model: 'm', messages }), whole);
let said = '';
let usage;
for await (const chunk of await openai.chat.completions.create({
  model: 'm', messages, stream: true, stream_options: { include_usage: true },
})) {
  said += chunk.choices[0]?.delta?.content ?? '';
  usage = chunk.usage ?? usage;
}
assert.equal(said, expected);
assert.ok(usage.total_tokens > 0);

const message = await anthropic.messages.create({ model: 'm', max_tokens: 10, messages });
assert.equal(message.content[0].text, expected);
const parts = [{ role: 'user', content: [{ type: 'text', text: 'Nothing.' }] }];
const streamed = await anthropic.messages.stream({ model: 'm', max_tokens: 10, messages: parts }).finalMessage();
assert.match(streamed.content[0].text, /no memories\.$/);
assert.equal(streamed.stop_reason, 'end_turn');
console.log('ok');
