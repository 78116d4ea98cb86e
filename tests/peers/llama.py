"""The server of llama.cpp with a tiny model of random numbers, made here: what it says means nothing, but how it says it is that server's.

    python llama.py FOLDER      writes FOLDER/tiny.gguf, serves it on loopback, prints its address, and ends with its standard input

It needs the Python packages `xllamacpp` (the server: llama_server.py) and `gguf` (writes the model).
"""

import sys

try:
    import gguf
    import numpy as np

    from llama_server import serve
except ImportError as error:
    sys.exit(f"{error}. This peer needs two Python packages: python3 -m venv DIR && DIR/bin/pip install xllamacpp gguf, "
             "then SIGNALBOX_TEST_PYTHON=DIR/bin/python cargo xtask peers llama")

WIDTH, HEADS, LAYERS, INNER, READS = 64, 4, 2, 128, 16384


def vocabulary():
    """Three marks, a token for each byte, one for each letter that is seen; and how likely each is."""
    tokens = [(b"<unk>", 2, -40.0), (b"<s>", 3, -40.0), (b"</s>", 3, -2.0)]
    tokens += [(b"<0x%02X>" % byte, 6, -40.0) for byte in range(256)]
    for code in range(0x20, 0x7F):
        letter = chr(code)
        # Without these a form never ends: a text goes on for ever, or white space follows on white space.
        likely = 4.0 if letter == '"' else -6.0 if letter == " " else 0.0
        tokens.append((letter.replace(" ", "\u2581").encode(), 1, likely))
    return tokens


def write(path):
    tokens = vocabulary()
    dice = np.random.default_rng(7)

    def random(*shape):
        return (dice.standard_normal(shape) * 0.05).astype(np.float32)

    file = gguf.GGUFWriter(path, "llama")
    file.add_name("tiny")
    file.add_context_length(READS)
    file.add_embedding_length(WIDTH)
    file.add_block_count(LAYERS)
    file.add_feed_forward_length(INNER)
    file.add_head_count(HEADS)
    file.add_head_count_kv(HEADS)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_rope_dimension_count(WIDTH // HEADS)
    file.add_file_type(gguf.LlamaFileType.ALL_F32)
    file.add_tokenizer_model("llama")
    file.add_token_list([token for token, _, _ in tokens])
    file.add_token_scores([0.0 for _ in tokens])
    file.add_token_types([kind for _, kind, _ in tokens])
    file.add_bos_token_id(1)
    file.add_eos_token_id(2)
    file.add_unk_token_id(0)
    file.add_add_space_prefix(False)

    # The first number of every state is the same: what is likely hangs on it. No layer writes there.
    embedding = random(len(tokens), WIDTH)
    embedding[:, 0] = 1.0
    output = random(len(tokens), WIDTH) * 4
    output[:, 0] = [likely / np.sqrt(WIDTH) * 1.05 for _, _, likely in tokens]
    file.add_tensor("token_embd.weight", embedding)
    file.add_tensor("output.weight", output)
    file.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    for layer in range(LAYERS):
        def add(name, tensor):
            file.add_tensor(f"blk.{layer}.{name}.weight", tensor)
        add("attn_norm", np.ones(WIDTH, np.float32))
        add("ffn_norm", np.ones(WIDTH, np.float32))
        for name in ("attn_q", "attn_k", "attn_v"):
            add(name, random(WIDTH, WIDTH))
        for name, inner in (("attn_output", WIDTH), ("ffn_down", INNER)):
            tensor = random(WIDTH, inner)
            tensor[0, :] = 0.0
            add(name, tensor)
        for name in ("ffn_gate", "ffn_up"):
            add(name, random(INNER, WIDTH))
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


if __name__ == "__main__":
    model = f"{sys.argv[1]}/tiny.gguf"
    write(model)
    serve(model, "tiny", READS)
