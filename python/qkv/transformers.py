"""qkv in Hugging Face transformers (5.0 or later).

    import qkv.transformers
    qkv.transformers.register()
    model = AutoModelForCausalLM.from_pretrained(name, attn_implementation="qkv")

Soft caps, sinks, position biases and dropout go to the operator as they are. So does a sliding window
or a causal pattern without padding; any other pattern is a boolean mask. What the operator cannot do
is refused by name. Models that do not use transformers' interface for attention (Bloom, MPT, Falcon, DeBERTa-v2)
are converted after loading: ``qkv.transformers.convert(model)``.
"""
import types
from typing import Any, Optional

import torch
import transformers
from torch.nn import functional

from ._qkv import attention
from ._torch import scaled_dot_product_attention

NAME = "qkv"
REFUSED = ("cache", "head_mask", "alibi", "attn_bias", "block_table", "block_mask")


class _Pattern(torch.Tensor):
    """Nothing but a mask that remembers that it is causal, within a window: the operator does that
    without reading it. Whatever is made of it is a plain mask again."""
    window: Optional[int]

    @classmethod
    def __torch_function__(cls, function: Any, kinds: Any, arguments: Any = (), named: Any = None) -> Any:
        with torch._C.DisableTorchFunctionSubclass():
            return function(*arguments, **(named or {}))


def _mask(batch_size: int, q_length: int, kv_length: int, q_offset: int = 0, kv_offset: int = 0,
          local_size: Optional[int] = None, **more: Any) -> Any:
    """transformers' boolean mask, or None, as for its own sdpa; marked, where it is causal within a
    window, and the last query stands at the last key."""
    mask = transformers.masking_utils.sdpa_mask(batch_size, q_length, kv_length, q_offset, kv_offset,
                                                local_size=local_size, **more)
    if mask is None or not isinstance(q_offset, int) or q_offset + q_length != kv_offset + kv_length:
        return mask
    queries = torch.arange(q_length, device=mask.device)[:, None] + (kv_length - q_length)
    distance = queries - torch.arange(kv_length, device=mask.device)
    for window in (None, local_size):
        seen = distance >= 0 if window is None else (distance >= 0) & (distance < window)
        if torch.equal(mask, seen.expand(mask.shape)):
            marked = mask.as_subclass(_Pattern)
            marked.window = window
            return marked
    return mask


def _bias(mask: Any, position_bias: Any, causal: bool, q: Any, k: Any) -> Any:
    """A position bias with the mask in it."""
    if mask is None and causal:
        mask = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device).tril()
    if mask is None:
        return position_bias
    if mask.dtype == torch.bool:
        return torch.where(mask, position_bias, -torch.inf)
    return position_bias + mask


def _options(module: Any, q: Any, k: Any, mask: Any, is_causal: Optional[bool], position_bias: Any) -> Any:
    """What says which keys a query sees."""
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    causal = bool(causal) and mask is None and q.shape[2] > 1
    if causal and q.shape[2] != k.shape[2]:
        raise ValueError(f"attention_mask: is None for {q.shape[2]} queries over {k.shape[2]} keys of a "
                         "causal layer; expected a mask")
    if position_bias is not None:
        return {"mask": _bias(mask, position_bias, causal, q, k)}
    if isinstance(mask, _Pattern):
        window = {} if mask.window is None else {"window": (mask.window - 1, 0)}
        return {"causal": "bottom-right", **window}
    return {"causal": "top-left"} if causal else {"mask": mask}


def _attend(module: Any, query: Any, key: Any, value: Any, attention_mask: Any,
            scaling: Optional[float] = None, dropout: float = 0.0, is_causal: Optional[bool] = None,
            softcap: Optional[float] = None, s_aux: Any = None, position_bias: Any = None,
            output_attentions: bool = False, **more: Any) -> tuple[Any, Any]:
    """The function of transformers' interface: (batch, heads, length, width) to (batch, length, heads,
    width), and the weights, if they are asked for."""
    for name in REFUSED:
        if more.get(name) is not None:
            raise ValueError(f"{name}: is not offered by attn_implementation=\"{NAME}\"")
    options = _options(module, query, key, attention_mask, is_causal, position_bias)
    options.update(scale=scaling, softcap=softcap or 0.0, sinks=s_aux)
    if dropout:
        options.update(dropout=dropout, seed=torch.randint(0, 2**63 - 1, (), dtype=torch.int64))
    if output_attentions:
        return _with_weights(query, key, value, options)
    return attention(query, key, value, **options).transpose(1, 2).contiguous(), None


def _with_weights(q: Any, k: Any, v: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """Weights to look at, which have no gradient."""
    if torch.is_grad_enabled() and any(x.requires_grad for x in (q, k, v)):
        raise ValueError("output_attentions: the weights have no gradient here; expected torch.no_grad()")
    c, weights = attention(q, k, v, return_weights=True, **options)
    return c.transpose(1, 2).contiguous(), weights


def register(name: str = NAME) -> None:
    """Makes attn_implementation=name known to transformers. May be called again."""
    transformers.AttentionInterface.register(name, _attend)
    transformers.AttentionMaskInterface.register(name, _mask)


# ---- Models that do not use the interface -------------------------------------------------------


class _Replace(torch.overrides.TorchFunctionMode):
    """Inside, PyTorch's function is ours."""

    def __torch_function__(self, function: Any, kinds: Any, arguments: Any = (), named: Any = None) -> Any:
        ours = function is functional.scaled_dot_product_attention
        return (scaled_dot_product_attention if ours else function)(*arguments, **(named or {}))


def _falcon(self: Any, *arguments: Any, **named: Any) -> Any:
    with _Replace():
        return type(self).forward(self, *arguments, **named)


def _bloom(self: Any, hidden_states: Any, residual: Any, alibi: Any, attention_mask: Any,
           layer_past: Any = None, use_cache: bool = False, output_attentions: bool = False,
           **named: Any) -> Any:
    """BloomAttention: its slopes times positions are a bias of the keys."""
    del use_cache, named
    _refuse_weights(output_attentions)
    q, k, v = self._reshape(self.query_key_value(hidden_states))
    if layer_past is not None:
        k, v = layer_past.update(k, v, self.layer_idx)
    bias = alibi.reshape(q.shape[0], self.num_heads, 1, -1)
    if attention_mask is not None:
        bias = bias + attention_mask
    c = scaled_dot_product_attention(q, k, v, bias, scale=self.inv_norm_factor,
                                     dropout_p=self.attention_dropout.p if self.training else 0.0)
    c = self.dense(c.transpose(1, 2).flatten(2))
    c = functional.dropout(c, p=self.hidden_dropout, training=self.training)
    return c + residual, None


def _mpt(self: Any, hidden_states: Any, position_bias: Any, past_key_values: Any = None,
         attention_mask: Any = None, **named: Any) -> Any:
    """MptAttention; its mask is True where a query may not look."""
    _refuse_weights(named.get("output_attentions", False))
    mixed = self.Wqkv(hidden_states)
    if self.clip_qkv:
        mixed = mixed.clamp(min=-self.clip_qkv, max=self.clip_qkv)
    q, k, v = (x.unflatten(-1, (self.n_heads, self.head_dim)).transpose(1, 2) for x in mixed.chunk(3, dim=2))
    if past_key_values is not None:
        k, v = past_key_values.update(k, v, self.layer_idx)
    bias = None
    if position_bias is not None:
        last = q.shape[2] if past_key_values is None else q.shape[2] + past_key_values.get_seq_length()
        bias = position_bias[:, max(0, position_bias.size(1) - last):,
                             max(0, position_bias.size(2) - k.shape[2]):].to(q.dtype)
    if attention_mask is not None:
        hidden = torch.zeros((), dtype=q.dtype).masked_fill(attention_mask, -torch.inf)
        bias = hidden if bias is None else bias + hidden
    c = scaled_dot_product_attention(q, k, v, bias, scale=self.softmax_scale,
                                     dropout_p=self.attn_dropout_p if self.training else 0.0)
    return self.out_proj(c.transpose(1, 2).flatten(2)), None


def _deberta(self: Any, hidden_states: Any, attention_mask: Any, output_attentions: bool = False,
             query_states: Any = None, relative_pos: Any = None, rel_embeddings: Any = None) -> Any:
    """DisentangledSelfAttention of DeBERTa-v2: what content has to do with position is a bias."""
    _refuse_weights(output_attentions)
    given = hidden_states if query_states is None else query_states
    q, k, v = (self.transpose_for_scores(x, self.num_attention_heads) for x in (
        self.query_proj(given), self.key_proj(hidden_states), self.value_proj(hidden_states)))
    terms = 1 + ("c2p" in self.pos_att_type) + ("p2c" in self.pos_att_type)
    mask = attention_mask.bool()
    heads = (-1, self.num_attention_heads)
    if self.relative_attention:
        bias = self.disentangled_attention_bias(q, k, relative_pos, self.pos_dropout(rel_embeddings), terms)
        if torch.is_tensor(bias):  # 0, if content has nothing to do with position
            mask = bias.unflatten(0, heads).masked_fill(~mask, -torch.inf)
    c = scaled_dot_product_attention(*(x.unflatten(0, heads) for x in (q, k, v)), mask,
                                     scale=(q.shape[-1] * terms)**-0.5,
                                     dropout_p=self.dropout.p if self.training else 0.0)
    return c.transpose(1, 2).flatten(2), None


def _refuse_weights(asked: bool) -> None:
    if asked:
        raise ValueError("output_attentions: is not offered for converted models; expected False")


FORWARDS = {"BloomAttention": _bloom, "MptAttention": _mpt, "FalconAttention": _falcon,
            "DisentangledSelfAttention": _deberta}


def _forward_of(module: Any) -> Any:
    kind = type(module)
    if kind.__name__ == "DisentangledSelfAttention" and not kind.__module__.endswith("deberta_v2"):
        raise ValueError(f"model: has layers {kind.__name__} of {kind.__module__.rpartition('.')[2]}; expected "
                         "those of DeBERTa-v2, which project queries, keys and values apart")
    return FORWARDS.get(kind.__name__)


def convert(model: Any) -> Any:
    """Has the attention layers of a Bloom, MPT, Falcon or DeBERTa-v2 model computed here; returns the model."""
    found = 0
    for module in model.modules():
        forward = _forward_of(module)
        if forward is None:
            continue
        found += 1
        module.forward = types.MethodType(forward, module)
    if found == 0:
        raise ValueError(f"model: {type(model).__name__} has none of the layers {', '.join(FORWARDS)}; "
                         f'expected attn_implementation="{NAME}" for others')
    if any(type(module).__name__ == "FalconAttention" for module in model.modules()):
        model.set_attn_implementation("sdpa")  # which calls PyTorch's function
    return model
