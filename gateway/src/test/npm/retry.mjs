// Asks the gateway at argv[2] while its queue is full: the official client waits as told and asks again by itself.
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const statuses = [];
const client = new OpenAI({
  baseURL: process.argv[2],
  apiKey: 'any',
  maxRetries: 5,
  fetch: async (url, init) => {
    const response = await fetch(url, init);
    statuses.push(response.status);
    return response;
  },
});
const answer = await client.embeddings.create({ model: 'e5-small-v2-q', input: 'asked again' });
assert.equal(answer.data.length, 1);
assert.equal(statuses[0], 429);
assert.equal(statuses.at(-1), 200);
console.log('ok');
