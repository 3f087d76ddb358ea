//! Ordinary text, in which nothing may be found.

use nidra_core::text::redact::{self, sample::Generator};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How often each text is read, for the time.
const ROUNDS: usize = 3;

/// What was read of one kind of text, and what was found in it.
#[derive(Default)]
pub(crate) struct Alarms {
    pub(crate) bytes: usize,
    pub(crate) time: Duration,
    pub(crate) rules: BTreeMap<&'static str, usize>,
    /// Some of the findings: where, and the line.
    pub(crate) lines: Vec<(&'static str, String, String)>,
}

impl Alarms {
    /// All findings.
    pub(crate) fn total(&self) -> usize {
        self.rules.values().sum()
    }

    /// Findings per million bytes.
    pub(crate) fn per_megabyte(&self) -> f64 {
        self.total() as f64 / (self.bytes as f64 / 1e6).max(1e-6)
    }

    /// Reads a text.
    pub(crate) fn read(&mut self, place: &str, text: &str) {
        // The quickest of some rounds: other work of the machine counts for little.
        let mut found = Vec::new();
        let mut quickest = Duration::MAX;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            found = redact::find(text);
            quickest = quickest.min(start.elapsed());
        }
        self.time += quickest;
        self.bytes += text.len();
        for finding in found {
            *self.rules.entry(finding.rule).or_default() += 1;
            let start = text[..finding.range.start].rfind('\n').map_or(0, |end| end + 1);
            // The end of the line before may hold the name.
            let start = start.saturating_sub(1).min(finding.range.start);
            let start = text[..start].rfind('\n').map_or(0, |end| end + 1);
            let before: String = text[start..finding.range.start].chars().rev().take(70).collect();
            let before: String = before.chars().rev().collect();
            let secret: String = text[finding.range.clone()].chars().take(60).collect();
            self.lines.push((
                finding.rule,
                place.to_owned(),
                format!("{before}«{secret}»").replace('\n', "⏎"),
            ));
        }
    }
}

/// Lines with what looks random and opens nothing: commits, checksums, identifiers, placeholders, code about secrets.
pub(crate) fn harmless(seed: u64, bytes: usize) -> Alarms {
    generated("harmless", seed, bytes, HARMLESS)
}

/// Chinese prose about work, with and without words for secrets.
pub(crate) fn chinese(seed: u64, bytes: usize) -> Alarms {
    generated("chinese", seed, bytes, CHINESE)
}

/// The length of a generated text, in bytes.
const PAGE: usize = 32 * 1024;

fn generated(place: &str, seed: u64, bytes: usize, templates: &[&str]) -> Alarms {
    let mut generator = Generator::new(seed);
    let mut alarms = Alarms::default();
    while alarms.bytes < bytes {
        let mut text = String::with_capacity(PAGE + 512);
        while text.len() < PAGE {
            if let Some(template) = generator.pick(templates) {
                let line = generator.fill(template);
                text.push_str(&line);
                text.push('\n');
            }
        }
        alarms.read(place, &text);
    }
    alarms
}

const HARMLESS: &[&str] = &[
    "commit {hex:40}",
    "fixed in {hex:7}, see {hex:40} and {hex:10}",
    "session {uuid} ended after {digit:3} s",
    "checksum = \"{hex:64}\"",
    "      \"integrity\": \"sha512-{base64:86}==\",",
    "    --hash=sha256:{hex:64} \\",
    "image: reg.test/app@sha256:{hex:64}",
    "index {hex:7}..{hex:7} 100644",
    "etag: \"{hex:32}\"",
    "background: url(data:image/png;base64,iVBORw0KGgo{base64:300})",
    "![x](data:image/png;base64,iVBORw0KGgo{base64:200}==)",
    "export API_KEY=YOUR_API_KEY",
    "export TOKEN=${TOKEN}",
    "api_key: YOUR_TOKEN",
    "password: <password>",
    "password: ${DB_PASSWORD}",
    "secret: xxxxxxxxxxxxxxxx",
    "token = next_token()",
    "    let token = self.tokens.next();",
    "    password: String,",
    "    pub password: Option<String>,",
    "  password?: string;",
    "def login(username: str, password: str) -> bool:",
    "const secret = process.env.SECRET;",
    "const token = await getToken(session.id);",
    "api_key=os.environ[\"API_KEY\"],",
    "password = args.password",
    "password=\"$DB_PASSWORD\"",
    "TOKEN=$(cat /run/secrets/token)",
    "key_path: /home/me/keys/id_ed25519.pub",
    "public_key = \"{base64:43}=\"",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{base64:43} me@box",
    "SHA256:{base64:43} me@box (ED25519)",
    "used {digit:5} tokens, max_tokens=4096, token_count: {digit:8}",
    "primary_key: user_id2024, foreign_key: order_id",
    "toolu_01{alnum:22} returned msg_01{alnum:22}",
    "https://unpkg.com/@scope/pkg@1.2.3/dist/index.{hex:8}.js",
    "https://git.test/org/repo/commit/{hex:40}",
    "vpc-{hex:17} subnet-{hex:17} ami-{hex:17} arn:aws:iam::{digit:12}:role/deploy",
    "trace_id={hex:32} span_id={hex:16} request-id: {uuid}",
    "x-amz-request-id: {upper:16}",
    "The password is stored as a bcrypt hash, never in plain text.",
    "Set GITHUB_TOKEN and NPM_TOKEN in the environment before you run it.",
    "The secret is read from the vault at start.",
    "Tokens expire after 3600 seconds; the key is rotated every 90 days.",
    "fn parse_token(input: &str) -> Result<Token, ParseTokenError> {",
    "class PasswordResetTokenGenerator(BaseTokenGenerator):",
    "  tokenizer = AutoTokenizer.from_pretrained(\"bert-base-uncased\")",
    "cookie: SameSite=Lax; the cookie banner is in cookies.tsx",
    "| setting | default | meaning |\n|---|---|---|\n| `password` | none | what the server asks for |",
    "key: {uuid}",
    "cache-key: linux-cargo-{hex:64}",
    "\"node_modules/.cache/{hex:32}.json\",",
    "integrity sha1-{base64:27}=",
    "version = \"1.{digit:2}.{digit:1}\"",
    "0x{hex:8} 0x{hex:16} at {hex:16}",
];

const CHINESE: &[&str] = &[
    "今天把支付服务拆成了两个模块，接口保持不变。",
    "这个页面的加载时间从 {digit:3} 毫秒降到了 {digit:2} 毫秒，主要是换了缓存策略。",
    "登录密码改成扫码登录，旧的入口先留着。",
    "密码用 bcrypt 加密后再入库，不要存明文。",
    "令牌过期时间是 {digit:4} 秒，刷新令牌是 30 天。",
    "密钥放在 /etc/app/keys 下面，由运维统一管理。",
    "用户忘记密码时先发邮件，再跳到重置页面。",
    "提交 {hex:7} 修好了这个问题，回归测试也加了。",
    "凭证由网关校验，后端不再重复校验。",
    "请在环境变量里设置 API_KEY，不要写进代码。",
    "验证码六位数字，五分钟内有效。",
    "数据库密码由 Vault 下发，本地开发用 docker-compose 的默认值。",
    "下周三之前把 {digit:2} 个接口的文档补齐，王工负责评审。",
    "账号和密码都在 1Password 里，需要的话找我要权限。",
    "口令长度不少于 12 位，必须包含大小写字母和数字。",
    "订单号 {digit:12} 的退款已经走完流程。",
    "会话 {uuid} 的日志在 logs/{hex:8}.txt 里。",
    "私钥不要提交到仓库，公钥可以。",
    "密码字段的类型是 string，长度 64。",
    "我觉得这个方案比上一个清楚，先按这个做。",
    "助记词页面只显示一次，用户确认之后就清掉。",
    "token 的用量这个月涨了 {digit:2}%，主要是批处理任务。",
];
