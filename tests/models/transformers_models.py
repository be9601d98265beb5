#!/usr/bin/python3
"""Models of Hugging Face transformers with attn_implementation="qkv", small and random, with weights so
large that attention is peaked. Speaks TAP; without transformers it is skipped.

    transformers_models.py [NAME ...]      all of them unless given

Held against attention by its definition in f64, in a model of f64:

    forward   f32 and bf16 logits, of a full and of a left-padded batch: the error is no more than
              twice that of the eager model in the same type, or some roundings of it
    backward  the gradients of all parameters, in f32
    train     with dropout 0.1, in f64: the same seed gives the same loss, and the derivative along
              the gradient is that of a central difference
    generate  greedy with a dynamic and with a static cache, and three beams: the same tokens

Before them: that register() may be called again.
"""
import copy
import os
import sys

# Where a virtual machine hides what AMX is made of, oneDNN, which PyTorch multiplies with, crashes.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE")

try:
    import torch
    import transformers
except ImportError as missing:
    print(f"1..0 # SKIP {missing.name} is not installed")
    sys.exit(0)

import qkv.transformers

SIZES = {"vocab_size": 99, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
         "num_attention_heads": 4, "max_position_embeddings": 64}
GROUPED = {**SIZES, "num_key_value_heads": 2}
PLAIN = {"eos_token_id": None, "bos_token_id": None, "pad_token_id": 0}


def expert(**more):
    return {**GROUPED, "num_local_experts": 2, "num_experts_per_tok": 1, **more}


# Name: class of the config, its words, class of the model. The last entry: converted after loading.
MODELS = {
    "GPT-2": ("GPT2Config", {"vocab_size": 99, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64},
              "GPT2LMHeadModel"),
    "Llama": ("LlamaConfig", GROUPED, "LlamaForCausalLM"),
    "Mistral": ("MistralConfig", {**GROUPED, "sliding_window": 5}, "MistralForCausalLM"),
    "Qwen2": ("Qwen2Config", GROUPED, "Qwen2ForCausalLM"),
    "Qwen3": ("Qwen3Config", {**GROUPED, "head_dim": 8}, "Qwen3ForCausalLM"),
    "Phi-3": ("Phi3Config", {**GROUPED, "sliding_window": 5}, "Phi3ForCausalLM"),
    "Mixtral": ("MixtralConfig", expert(), "MixtralForCausalLM"),
    "OPT": ("OPTConfig", {"vocab_size": 99, "hidden_size": 32, "ffn_dim": 48, "num_hidden_layers": 2,
                          "num_attention_heads": 4, "max_position_embeddings": 64, "word_embed_proj_dim": 32},
            "OPTForCausalLM"),
    "GPT-NeoX": ("GPTNeoXConfig", SIZES, "GPTNeoXForCausalLM"),
    "Gemma 2": ("Gemma2Config", {**GROUPED, "head_dim": 8, "sliding_window": 5,
                                 "attn_logit_softcapping": 5.0}, "Gemma2ForCausalLM"),
    "Gemma 3": ("Gemma3TextConfig", {**GROUPED, "head_dim": 8, "sliding_window": 5}, "Gemma3ForCausalLM"),
    "GPT-OSS": ("GptOssConfig", expert(head_dim=8, sliding_window=5), "GptOssForCausalLM"),
    "DeepSeek-V3": ("DeepseekV3Config", {
        **SIZES, "num_key_value_heads": 4, "moe_intermediate_size": 16, "n_routed_experts": 4, "n_group": 2,
        "topk_group": 1, "num_experts_per_tok": 2, "q_lora_rank": 16, "kv_lora_rank": 16,
        "qk_rope_head_dim": 4, "qk_nope_head_dim": 8, "v_head_dim": 6, "first_k_dense_replace": 1},
        "DeepseekV3ForCausalLM"),
    "Llama 4": ("Llama4TextConfig", expert(head_dim=8, attention_chunk_size=5, intermediate_size_mlp=48,
                                           num_hidden_layers=4), "Llama4ForCausalLM"),
    "BERT": ("BertConfig", SIZES, "BertForMaskedLM"),
    "RoBERTa": ("RobertaConfig", {**SIZES, "max_position_embeddings": 70}, "RobertaForMaskedLM"),
    "DistilBERT": ("DistilBertConfig", {"vocab_size": 99, "dim": 32, "hidden_dim": 48, "n_layers": 2,
                                        "n_heads": 4}, "DistilBertForMaskedLM"),
    "ModernBERT": ("ModernBertConfig", {**SIZES, "global_attn_every_n_layers": 2, "local_attention": 6},
                   "ModernBertForMaskedLM"),
    "BART": ("BartConfig", {"vocab_size": 99, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2,
                            "encoder_attention_heads": 4, "decoder_attention_heads": 4,
                            "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "max_position_embeddings": 64,
                            "decoder_start_token_id": 1, "forced_eos_token_id": None},
             "BartForConditionalGeneration"),
    "T5": ("T5Config", {"vocab_size": 99, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2,
                        "num_heads": 4, "decoder_start_token_id": 1}, "T5ForConditionalGeneration"),
    "DeBERTa-v2": ("DebertaV2Config", {**SIZES, "relative_attention": True, "position_buckets": 8,
                                       "pos_att_type": ["p2c", "c2p"], "max_relative_positions": 16,
                                       "share_att_key": True, "norm_rel_ebd": "layer_norm",
                                       "conv_kernel_size": 3}, "DebertaV2ForMaskedLM"),
    "Bloom": ("BloomConfig", {"vocab_size": 99, "hidden_size": 32, "n_layer": 2, "n_head": 4},
              "BloomForCausalLM"),
    "MPT": ("MptConfig", {"vocab_size": 99, "d_model": 32, "n_layers": 2, "n_heads": 4, "max_seq_len": 64},
            "MptForCausalLM"),
    "Falcon": ("FalconConfig", {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2,
                                "num_attention_heads": 4, "alibi": True, "new_decoder_architecture": False},
               "FalconForCausalLM"),
}
CONVERTED = ("Bloom", "MPT", "Falcon", "DeBERTa-v2")
EXPERTS = ("Mixtral", "GPT-OSS", "DeepSeek-V3", "Llama 4")
ENCODERS = ("BERT", "RoBERTa", "DistilBERT", "ModernBERT", "DeBERTa-v2")
NO_STATIC_CACHE = ("Falcon",)  # transformers' own fails with one: it cannot unpack it
DROPOUTS = ("attention_dropout", "attn_pdrop", "attention_probs_dropout_prob", "dropout_rate", "dropout",
            "attn_dropout")


def definition(module, query, key, value, attention_mask, scaling=None, is_causal=None, softcap=None,
               s_aux=None, position_bias=None, **_):
    """Attention, step by step, in f64."""
    kind, groups = query.dtype, query.shape[1] // key.shape[1]
    q, k, v = (x.double() for x in (query, key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)))
    scores = (q.shape[-1]**-0.5 if scaling is None else scaling) * q @ k.mT
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    if position_bias is not None:
        scores = scores + position_bias
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    if attention_mask is None and causal and q.shape[2] > 1:
        attention_mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    if attention_mask is not None:
        scores = scores.masked_fill(~attention_mask, -torch.inf)
    if s_aux is not None:
        sink = s_aux.double().view(1, -1, 1, 1).expand(*scores.shape[:3], 1)
        weights = torch.softmax(torch.cat([scores, sink], -1), -1)[..., :-1]
    else:
        empty = torch.isinf(scores).all(-1, keepdim=True)
        weights = torch.softmax(scores.masked_fill(empty, 0.0), -1).masked_fill(empty, 0.0)
    c = weights @ v
    return c.transpose(1, 2).to(kind).contiguous(), None


def make(name, dropout=0.0, factor=8):
    """The model in f64, with attention by its definition; or eager, if it is to be converted."""
    config, words, model = MODELS[name]
    config = getattr(transformers, config)(**{**words, **PLAIN})
    for word in vars(config):
        if "drop" in word and isinstance(getattr(config, word), float):
            setattr(config, word, dropout if word in DROPOUTS else 0.0)
    if name == "MPT":
        object.__setattr__(config.attn_config, "attn_pdrop", dropout)
    torch.manual_seed(0)
    config._attn_implementation = "eager"
    made = getattr(transformers, model)(config).double().eval()
    if name not in CONVERTED:
        made.set_attn_implementation("definition")
    if name in EXPERTS:
        made.set_experts_implementation("eager")  # the others take no f64
    with torch.no_grad():
        for word, parameter in made.named_parameters():
            if parameter.ndim > 1 and "embed" not in word and "wte" not in word and "wpe" not in word:
                parameter.mul_(factor)
            elif "sinks" in word:
                parameter.normal_()
    return made


def eager(name, model, kind):
    model = copy.deepcopy(model).to(kind)
    if name not in CONVERTED:
        model.set_attn_implementation("eager")
    return model


def ours(name, model):
    model = copy.deepcopy(model)
    if name in CONVERTED:
        return qkv.transformers.convert(model)
    model.set_attn_implementation("qkv")
    return model


def inputs(name, padded):
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(2, 99, (2, 12), generator=generator)
    mask = torch.ones_like(ids)
    if padded:
        mask[0, :4] = 0
    given = {"input_ids": ids, "attention_mask": mask}
    if name in ("BART", "T5"):
        given["decoder_input_ids"] = torch.randint(2, 99, (2, 7), generator=generator)
    return given


def logits(name, model, padded):
    """Those of tokens that are there: what a padded row sees is nobody's business."""
    given = inputs(name, padded)
    found = model(**given).logits
    return found.double() if name in ("BART", "T5") else found.double()[given["attention_mask"].bool()]


def distance(a, b):
    return float((a - b).abs().max() / b.abs().max())


def forward(name, exact):
    worst = []
    for padded in (False, True):
        with torch.no_grad():
            # Eager masks of f64 are infinite in the f32 that its softmax has: rows of NaN.
            truth = logits(name, eager(name, exact, torch.float32) if name in CONVERTED and padded else exact,
                           padded)
            for kind in (torch.float32, torch.bfloat16):
                plain = eager(name, exact, kind)
                theirs = distance(logits(name, plain, padded), truth)
                found = distance(logits(name, ours(name, plain), padded), truth)
                allowed = max(2 * theirs, 30 * torch.finfo(kind).eps)
                worst.append(f"{found:.1e} (eager {theirs:.1e})")
                if not found <= allowed:
                    return False, f"padded {padded}, {kind}: {found:.2e}, eager {theirs:.2e}"
    return True, f"f32 {worst[0]}, bf16 {worst[1]}"


def gradients(name, model):
    model.zero_grad()
    logits(name, model, name not in CONVERTED).square().mean().backward()
    return torch.cat([p.grad.double().flatten() for p in model.parameters() if p.grad is not None])


def backward(name, exact):
    truth = gradients(name, exact)
    plain = eager(name, exact, torch.float32)
    theirs = float((gradients(name, plain) - truth).norm() / truth.norm())
    found = float((gradients(name, ours(name, plain)) - truth).norm() / truth.norm())
    return found <= max(2 * theirs, 1e-5), f"{found:.1e} (eager {theirs:.1e})"


def train(name, _):
    model = ours(name, make(name, dropout=0.1, factor=1)).train()

    def loss():
        torch.manual_seed(7)
        return logits(name, model, False).square().mean()

    first = loss()
    model.zero_grad()
    first.backward()
    parameters = [p for p in model.parameters() if p.grad is not None]
    slopes = [p.grad.clone() for p in parameters]
    length = float(sum(g.square().sum() for g in slopes).sqrt())
    step, values = 1e-3 * float(first) / length**2, []  # a thousandth of the loss: some norms are in f32
    with torch.no_grad():
        for sign in (1, -1):
            for p, g in zip(parameters, slopes):
                p.add_(g, alpha=sign * step)
            values.append(float(loss()))
            for p, g in zip(parameters, slopes):
                p.add_(g, alpha=-sign * step)
        again = float(loss())
        model.eval()
        still = float(loss())
    found = (values[0] - values[1]) / (2 * step) / length**2
    good = abs(again / float(first) - 1) < 1e-12 and abs(found - 1) < 5e-3 and still != again
    return good, f"derivative {found:.6f} of the gradient's"


def generate(name, exact):
    if name in ENCODERS:
        return True, "an encoder"
    plain = eager(name, exact, torch.float32)
    model, given = ours(name, plain), inputs(name, True)
    given.pop("decoder_input_ids", None)
    words = {"max_new_tokens": 9, "do_sample": False, **PLAIN}
    ways = {"dynamic": {}, "static": {"cache_implementation": "static"}, "beams": {"num_beams": 3}}
    if name in NO_STATIC_CACHE:
        del ways["static"]
    for way, more in ways.items():
        pair = [one.generate(**given, **words, **more) for one in (plain, model)]
        if not torch.equal(*pair):
            return False, f"{way}: other tokens"
    return True, ", ".join(ways)


def register_again():
    """Registering once more, under this name or another, changes nothing: not what is known to
    transformers, nor the bits of a model that is in use, nor those of a new one."""
    name, known = "Gemma 2", (transformers.AttentionInterface(), transformers.AttentionMaskInterface())
    before = [{key: kept[key] for key in kept} for kept in known]
    exact = make(name).float()
    model = ours(name, exact)
    first = logits(name, model, True)
    for _ in range(3):
        qkv.transformers.register()
    if [{key: kept[key] for key in kept} for kept in known] != before:
        return False, "other functions are registered than before"
    qkv.transformers.register("qkv again")
    other = copy.deepcopy(exact)
    other.set_attn_implementation("qkv again")
    for one in (model, ours(name, exact), other):
        if not torch.equal(logits(name, one, True), first):
            return False, "other logits than before"
    return True, "the same functions, the same logits"


def tell(number, title, check, *words):
    """Whether a check is good; what it says becomes a line."""
    try:
        good, told = check(*words)
    except Exception as error:  # told, and the next one is tried
        good, told = False, f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"
    print(f"{'' if good else 'not '}ok {number} - {title}: {told}", flush=True)
    return good


def main(names):
    transformers.logging.set_verbosity_error()
    qkv.transformers.register()
    transformers.AttentionInterface.register("definition", definition)
    transformers.AttentionMaskInterface.register("definition", transformers.masking_utils.sdpa_mask)
    results = [tell(1, "register() again", register_again)]
    for name in names or MODELS:
        exact = make(name)
        for check in (forward, backward, train, generate):
            results.append(tell(len(results) + 1, f"{name}, {check.__name__}", check, name, exact))
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
