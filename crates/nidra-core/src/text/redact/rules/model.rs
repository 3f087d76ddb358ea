//! Keys of model providers and of what models are used with.

use super::Check::{Mixed, Random, Shape};
use super::{Rule, near, start};

pub(super) const RULES: &[Rule] = &[
    start(
        "model-api-key",
        &[
            "sk-", "gsk_", "xai-", "pplx-", "r8_", "fw_", "nvapi-", "tgp_v1_", "csk-", "sess-", "key_",
            "crsr_",
        ],
        r"(?:sk-(?:[A-Za-z0-9]{1,12}-){0,3}[A-Za-z0-9_\-]{16,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|pplx-[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}|fw_[A-Za-z0-9]{20,}|nvapi-[A-Za-z0-9_\-]{20,}|tgp_v1_[A-Za-z0-9_\-]{20,}|csk-[a-z0-9]{40,}|sess-[A-Za-z0-9]{36,}|(?:key|crsr)_[a-f0-9]{60,})",
        Random(3.2),
        &[
            "«sk-{alnum:48}»",
            "«sk-proj-{url:150}»",
            "«sk-ant-api03-{url:93}AA»",
            "«sk-or-v1-{hex:64}»",
            "«sk-lf-{uuid}»",
            "«gsk_{alnum:52}»",
            "«xai-{alnum:80}»",
            "«pplx-{alnum:48}»",
            "«r8_{alnum:37}»",
            "«fw_{alnum:24}»",
            "«nvapi-{url:64}»",
            "«tgp_v1_{url:43}»",
            "«csk-{lower:48}»",
        ],
        &["sk-learn-pipeline-builder", "sk-…", "sk-your-key-here", "sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxx"],
    ),
    start(
        "hugging-face-token",
        &["hf_", "api_org_"],
        r"(?:hf|api_org)_[A-Za-z0-9]{20,}(?-u:\b)",
        Random(3.0),
        &["«hf_{alnum:34}»"],
        &["hf_hub_download", "hf_xxxxxxxxxxxxxxxxxxxxxxxxx"],
    ),
    start(
        "model-tool-key",
        &[
            "lsv2_", "tvly-", "fc-", "e2b_", "jina_", "pa-", "pcsk_", "voy-", "sk_", "bb_live_", "phx_",
            "phs_", "ls__", "gsk-", "aai_", "m0-", "up_",
        ],
        r"(?:lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|tvly-(?:dev-|prod-)?[A-Za-z0-9_\-]{24,}|fc-[a-f0-9]{32}|e2b_[a-f0-9]{40}|jina_[a-f0-9]{32}[A-Za-z0-9_\-]{20,}|pa-[A-Za-z0-9_\-]{40,}|pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,}|sk_[a-f0-9]{48}|bb_live_[A-Za-z0-9_\-]{20,}|ph[xs]_[A-Za-z0-9]{32,}|ls__[a-f0-9]{32}|m0-[A-Za-z0-9]{38,})(?-u:\b)",
        Random(3.0),
        &[
            "«lsv2_pt_{hex:32}_{hex:10}»",
            "«tvly-dev-{alnum:32}»",
            "«fc-{hex:32}»",
            "«e2b_{hex:40}»",
            "«jina_{hex:32}{alnum:28}»",
            "«pcsk_{alnum:6}_{alnum:64}»",
            "«sk_{hex:48}»",
            "«phx_{alnum:43}»",
        ],
        &["fc-list", "pa-module-load-sample-lazily-from-the-cache-dir", "sk_buff"],
    ),
    start(
        "sanity-token",
        &["sk"],
        r"sk[A-Za-z0-9]{60,}(?-u:\b)",
        Mixed,
        &["«sk{alnum:80}»"],
        &["skipUntilTheEndOfTheLineAndThenReturnToTheCallerWithoutAnyValueAtAll"],
    ),
    near(
        "zhipu-key",
        &["zhipu", "bigmodel", "glm", "api_key", "apikey", "智谱"],
        r"(?-u:\b)([0-9a-f]{32}\.[A-Za-z0-9]{16})(?-u:\b)",
        Random(3.5),
        &["智谱的 «{hex:32}.{alnum:16}» 先用着", "ZHIPU_API_KEY=«{hex:32}.{alnum:16}»"],
        &["glm-4 {hex:32}"],
    ),
    near(
        "fal-key",
        &["fal_", "fal-", "fal."],
        r"(?-u:\b)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f]{32})(?-u:\b)",
        Shape,
        &["FAL_KEY=«{uuid}:{hex:32}»"],
        &["false {uuid}"],
    ),
];
