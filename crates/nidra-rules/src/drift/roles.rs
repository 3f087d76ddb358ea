//! Tools that fill the same role in a project, so that one of them in the checkout speaks against another in memory.
//!
//! A table of the trade, not of any project: each line lists what people call the tool, and the names under which
//! manifests and lock files know it. Tools that projects commonly use side by side share no role.

/// A tool.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tool {
    /// What people call it, in small letters.
    pub said: &'static [&'static str],
    /// The names that show it in a checkout, without marks; a trailing `*` stands for more letters.
    pub shown: &'static [&'static str],
}

/// A role that one tool fills.
pub(super) struct Role {
    /// What it is, for a person.
    pub name: &'static str,
    /// The tools.
    pub tools: &'static [Tool],
}

pub(super) const fn tool(said: &'static [&'static str], shown: &'static [&'static str]) -> Tool {
    Tool { said, shown }
}

/// Tools whose names are everyday words: they count with a capital inside a sentence or in code.
pub(super) const EVERYDAY: &[&str] = &[
    "bun", "black", "provider", "hive", "drift", "got", "express", "relay", "nose", "rocket", "warp",
    "flask", "task", "make", "just", "fly", "render", "ava", "bloc", "isar", "tap", "solid", "moment",
    "next", "echo", "gin", "fiber", "chi", "spring", "recoil", "effector", "turbo", "lerna", "helm", "forge",
    "flux", "wix", "atlas", "prefect", "poetry", "composer", "bundler", "joi", "celery", "dramatiq",
];

/// All roles.
pub(super) fn all() -> impl Iterator<Item = &'static Role> {
    ROLES.iter().chain(super::trades::ROLES)
}

/// The roles in writing programs; [`super::trades`] has those in building and running them.
const ROLES: &[Role] = &[
    Role {
        name: "package manager",
        tools: &[
            tool(&["npm"], &["npm"]),
            tool(&["pnpm"], &["pnpm"]),
            tool(&["yarn"], &["yarn"]),
            tool(&["bun"], &["bun"]),
        ],
    },
    Role {
        name: "unit test runner",
        tools: &[
            tool(&["jest"], &["jest*", "babeljest", "tsjest"]),
            tool(&["vitest"], &["vitest"]),
            tool(&["mocha"], &["mocha"]),
            tool(&["jasmine"], &["jasmine*"]),
            tool(&["ava"], &["ava"]),
            tool(&["karma"], &["karma"]),
        ],
    },
    Role {
        name: "browser tests",
        tools: &[
            tool(&["cypress"], &["cypress*"]),
            tool(&["playwright"], &["playwright*"]),
            tool(&["selenium"], &["selenium*"]),
            tool(&["puppeteer"], &["puppeteer*"]),
            tool(&["nightwatch"], &["nightwatch"]),
            tool(&["webdriverio"], &["webdriverio", "wdio*"]),
        ],
    },
    Role {
        name: "bundler",
        tools: &[
            tool(&["webpack"], &["webpack*"]),
            tool(&["vite"], &["vite"]),
            tool(&["parcel"], &["parcel*"]),
            tool(&["rspack"], &["rspack*"]),
        ],
    },
    Role {
        name: "linter",
        tools: &[
            tool(&["eslint"], &["eslint*"]),
            tool(&["tslint"], &["tslint"]),
            tool(&["biome"], &["biome*"]),
            tool(&["oxlint"], &["oxlint"]),
        ],
    },
    Role {
        name: "formatter",
        tools: &[
            tool(&["prettier"], &["prettier*"]),
            tool(&["biome"], &["biome*"]),
            tool(&["dprint"], &["dprint"]),
        ],
    },
    Role {
        name: "state management",
        tools: &[
            tool(&["redux"], &["redux*", "reactredux"]),
            tool(&["zustand"], &["zustand"]),
            tool(&["mobx"], &["mobx*"]),
            tool(&["jotai"], &["jotai"]),
            tool(&["recoil"], &["recoil"]),
            tool(&["vuex"], &["vuex"]),
            tool(&["pinia"], &["pinia"]),
        ],
    },
    Role {
        name: "state management",
        tools: &[
            tool(&["bloc", "flutter_bloc"], &["flutterbloc", "bloc", "hydratedbloc"]),
            tool(&["riverpod", "flutter_riverpod"], &["flutterriverpod", "riverpod*", "hooksriverpod"]),
            tool(&["provider"], &["provider"]),
            tool(&["getx"], &["get"]),
            tool(&["mobx"], &["mobx", "fluttermobx"]),
        ],
    },
    Role {
        name: "local database",
        tools: &[
            tool(&["hive"], &["hive", "hiveflutter", "hivece*"]),
            tool(&["isar"], &["isar*"]),
            tool(&["drift"], &["drift*"]),
            tool(&["sqflite"], &["sqflite"]),
            tool(&["objectbox"], &["objectbox*"]),
            tool(&["realm"], &["realm"]),
        ],
    },
    Role {
        name: "database access",
        tools: &[
            tool(&["prisma"], &["prisma", "prismaclient"]),
            tool(&["drizzle"], &["drizzle*"]),
            tool(&["typeorm"], &["typeorm"]),
            tool(&["sequelize"], &["sequelize*"]),
            tool(&["mikro-orm", "mikroorm"], &["mikroorm*"]),
            tool(&["kysely"], &["kysely"]),
            tool(&["mongoose"], &["mongoose"]),
        ],
    },
    Role {
        name: "database access",
        tools: &[
            tool(&["mybatis"], &["mybatis*"]),
            tool(&["hibernate"], &["hibernate*", "springbootstarterdatajpa"]),
            tool(&["jooq"], &["jooq*"]),
        ],
    },
    Role {
        name: "database access",
        tools: &[
            tool(&["diesel"], &["diesel"]),
            tool(&["sqlx"], &["sqlx"]),
            tool(&["sea-orm", "seaorm"], &["seaorm"]),
        ],
    },
    Role {
        name: "schema validation",
        tools: &[
            tool(&["zod"], &["zod"]),
            tool(&["yup"], &["yup"]),
            tool(&["joi"], &["joi"]),
            tool(&["valibot"], &["valibot"]),
            tool(&["ajv"], &["ajv"]),
        ],
    },
    Role {
        name: "date library",
        tools: &[
            tool(&["moment", "moment.js", "momentjs"], &["moment*"]),
            tool(&["dayjs", "day.js"], &["dayjs"]),
            tool(&["date-fns"], &["datefns"]),
            tool(&["luxon"], &["luxon"]),
        ],
    },
    Role {
        name: "HTTP client",
        tools: &[
            tool(&["axios"], &["axios"]),
            tool(&["ky"], &["ky"]),
            tool(&["superagent"], &["superagent"]),
            tool(&["ofetch"], &["ofetch"]),
        ],
    },
    Role {
        name: "HTTP client",
        tools: &[
            tool(&["requests"], &["requests"]),
            tool(&["httpx"], &["httpx"]),
            tool(&["aiohttp"], &["aiohttp"]),
        ],
    },
    Role {
        name: "web framework",
        tools: &[
            tool(&["express", "express.js", "expressjs"], &["express"]),
            tool(&["fastify"], &["fastify"]),
            tool(&["koa"], &["koa"]),
            tool(&["hono"], &["hono"]),
            tool(&["nestjs", "nest.js"], &["nestjs"]),
            tool(&["hapi"], &["hapi"]),
        ],
    },
    Role {
        name: "web framework",
        tools: &[
            tool(&["django"], &["django"]),
            tool(&["flask"], &["flask"]),
            tool(&["fastapi"], &["fastapi"]),
            tool(&["tornado"], &["tornado"]),
            tool(&["starlette"], &["starlette", "fastapi"]),
            tool(&["sanic"], &["sanic"]),
        ],
    },
    Role {
        name: "web framework",
        tools: &[
            tool(&["actix", "actix-web"], &["actix*"]),
            tool(&["axum"], &["axum"]),
            tool(&["rocket"], &["rocket"]),
            tool(&["warp"], &["warp"]),
        ],
    },
    Role {
        name: "web framework",
        tools: &[
            tool(&["gin"], &["gin"]),
            tool(&["echo"], &["echo"]),
            tool(&["fiber"], &["fiber"]),
            tool(&["chi"], &["chi"]),
        ],
    },
    Role {
        name: "async runtime",
        tools: &[
            tool(&["tokio"], &["tokio"]),
            tool(&["async-std"], &["asyncstd"]),
            tool(&["smol"], &["smol"]),
            tool(&["embassy"], &["embassy*"]),
        ],
    },
    Role {
        name: "user interface",
        tools: &[
            tool(&["react"], &["react"]),
            tool(&["vue", "vue.js", "vuejs"], &["vue"]),
            tool(&["svelte"], &["svelte"]),
            tool(&["angular"], &["angular"]),
            tool(&["solidjs", "solid.js"], &["solidjs"]),
            tool(&["preact"], &["preact"]),
        ],
    },
    Role {
        name: "logger",
        tools: &[
            tool(&["winston"], &["winston*"]),
            tool(&["pino"], &["pino*"]),
            tool(&["bunyan"], &["bunyan"]),
            tool(&["log4js"], &["log4js"]),
        ],
    },
    Role {
        name: "Python environment",
        tools: &[
            tool(&["conda", "miniconda", "anaconda"], &["conda"]),
            tool(&["poetry"], &["poetry"]),
            tool(&["pipenv"], &["pipenv"]),
            tool(&["uv"], &["uv"]),
            tool(&["pdm"], &["pdm"]),
            tool(&["pixi"], &["pixi"]),
            tool(&["hatch"], &["hatch"]),
        ],
    },
    Role {
        name: "Python tests",
        tools: &[
            tool(&["pytest"], &["pytest*"]),
            tool(&["nose", "nosetests", "nose2"], &["nose*"]),
            tool(&["manage.py test"], &[]),
        ],
    },
    Role {
        name: "Python linter",
        tools: &[
            tool(&["flake8"], &["flake8*"]),
            tool(&["pylint"], &["pylint*"]),
            tool(&["ruff"], &["ruff"]),
        ],
    },
    Role {
        name: "data frames",
        tools: &[tool(&["pandas"], &["pandas"]), tool(&["polars"], &["polars"]), tool(&["dask"], &["dask"])],
    },
    Role {
        name: "deep learning",
        tools: &[
            tool(&["tensorflow", "keras"], &["tensorflow*", "keras"]),
            tool(&["pytorch", "torch"], &["torch*", "pytorch*"]),
            tool(&["jax"], &["jax*"]),
        ],
    },
    Role {
        name: "task queue",
        tools: &[
            tool(&["celery"], &["celery*"]),
            tool(&["dramatiq"], &["dramatiq*"]),
            tool(&["arq"], &["arq"]),
            tool(&["huey"], &["huey"]),
        ],
    },
    Role {
        name: "build tool",
        tools: &[
            tool(&["maven", "mvn"], &["maven"]),
            tool(&["gradle", "gradlew"], &["gradle"]),
            tool(&["sbt"], &["sbt"]),
            tool(&["bazel"], &["bazel"]),
        ],
    },
    Role {
        name: "message queue",
        tools: &[
            tool(&["kafka"], &["kafka*", "cpkafka", "springkafka", "rdkafka", "sarama"]),
            tool(&["rabbitmq"], &["rabbitmq*", "amqp*", "springrabbit", "lapin"]),
            tool(&["rocketmq"], &["rocketmq*"]),
            tool(&["pulsar"], &["pulsar*"]),
            tool(&["nats"], &["nats*", "asyncnats"]),
        ],
    },
    Role {
        name: "database",
        tools: &[
            tool(&["mysql"], &["mysql*"]),
            tool(
                &["postgres", "postgresql"],
                &["postgres*", "postgis", "pg", "psycopg*", "asyncpg", "pgx", "tokiopostgres"],
            ),
            tool(&["mongodb", "mongo"], &["mongo*", "pymongo", "motor"]),
            tool(&["mariadb"], &["mariadb*"]),
            tool(&["oracle"], &["oracle*", "ojdbc*"]),
        ],
    },
    Role {
        name: "cache",
        tools: &[
            tool(&["redis"], &["redis*", "ioredis", "jedis", "lettuce*", "redisson*"]),
            tool(&["memcached"], &["memcached*", "memjs", "pymemcache"]),
            tool(&["valkey"], &["valkey*", "iovalkey"]),
            tool(&["dragonfly"], &["dragonfly*"]),
        ],
    },
    Role {
        name: "continuous integration",
        tools: &[
            tool(&["travis", "travis ci"], &["travis"]),
            tool(&["circleci", "circle ci"], &["circleci"]),
            tool(&["github actions"], &["githubactions"]),
            tool(&["gitlab ci"], &["gitlab"]),
            tool(&["jenkins"], &["jenkins"]),
            tool(&["azure pipelines"], &["azurepipelines"]),
        ],
    },
    Role {
        name: "monorepo runner",
        tools: &[
            tool(&["turborepo", "turbo"], &["turbo"]),
            tool(&["nx"], &["nx"]),
            tool(&["lerna"], &["lerna"]),
        ],
    },
    Role {
        name: "git hooks",
        tools: &[
            tool(&["husky"], &["husky"]),
            tool(&["lefthook"], &["lefthook"]),
            tool(&["pre-commit"], &["precommit"]),
        ],
    },
];
