// A small model behind an API of OpenAI's shape, for the tests: chat completions without streams, one call at a time.
//
//     node serve.mjs MODEL.gguf [MOST_TOKENS]
//
// It says on standard output at which port it listens. A request whose `response_format` has a JSON Schema is answered under a
// grammar made of it, as far as the grammar can say it; one without is answered freely. The model is asked as a base model is: by
// a text to go on with. It always says that it has finished, also where it was cut, as some servers do.
import { createServer } from "node:http";
import { getLlama, LlamaCompletion } from "node-llama-cpp";

const model = process.argv[2];
const MOST_TOKENS = Number(process.argv[3] ?? 200);
const llama = await getLlama({ gpu: false, build: "never", logLevel: "error", maxThreads: 2 });
const loaded = await llama.loadModel({ modelPath: model });
const context = await loaded.createContext({ contextSize: 8192, batchSize: 512 });
const sequence = context.getSequence();
const completion = new LlamaCompletion({ contextSequence: sequence });

/** The schema as node-llama-cpp's grammars take it: what they don't know is left out, open objects are closed. */
function plain(schema) {
  if (schema === true || schema === null || typeof schema !== "object") return { type: "string" };
  if (schema.const !== undefined) return { const: schema.const };
  if (schema.enum !== undefined) return { enum: schema.enum };
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return { oneOf: branches.map(plain) };
  if (Array.isArray(schema.type)) return { oneOf: schema.type.map((type) => plain({ ...schema, type })) };
  if (schema.type === "array") return { type: "array", items: plain(schema.items ?? {}), maxItems: 6 };
  if (schema.properties) {
    const properties = Object.entries(schema.properties).map(([name, member]) => [name, plain(member)]);
    return { type: "object", properties: Object.fromEntries(properties), additionalProperties: false };
  }
  if (schema.type === "object") return { type: "object", properties: {}, additionalProperties: { type: "string" } };
  return { type: ["string", "number", "integer", "boolean", "null"].includes(schema.type) ? schema.type : "string" };
}

async function answer(body) {
  const schema = body.response_format?.json_schema?.schema;
  let grammar;
  try {
    if (schema) grammar = await llama.createGrammarForJsonSchema(plain(schema));
  } catch (error) {
    console.error(`no grammar: ${error.message}`);
  }
  const messages = body.messages.map((message) => `${message.role}: ${message.content}`);
  // Free, it is given the beginning of an object: else it goes on with the document.
  const begun = grammar ? "" : "{";
  const text = `${messages.join("\n\n")}\n\nassistant: ${begun}`;
  // The end says what is asked.
  const asked = loaded.tokenize(text).slice(-6500);
  const maxTokens = Math.min(body.max_tokens ?? body.max_completion_tokens ?? MOST_TOKENS, MOST_TOKENS);
  const { response } = await completion.generateCompletionWithMeta(asked, { grammar, maxTokens, temperature: 0 });
  const [read, written] = [asked.length, loaded.tokenize(response).length];
  return {
    id: "small-1", object: "chat.completion", model: "gemma-3-270m",
    choices: [{ index: 0, message: { role: "assistant", content: begun + response }, finish_reason: "stop" }],
    usage: { prompt_tokens: read, completion_tokens: written, total_tokens: read + written },
  };
}

let turn = Promise.resolve();
const server = createServer((request, reply) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    turn = turn.then(async () => {
      let [status, body] = [200, undefined];
      try {
        body = await answer(JSON.parse(Buffer.concat(parts).toString()));
      } catch (error) {
        [status, body] = [500, { error: { message: String(error.message), type: "server_error" } }];
      }
      reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
