/** The languages of generated testimonials, with names and whole sentences. Random words would read like noise. */

export interface Language {
  /** The share of all testimonials. */
  share: number;
  firstNames: string[];
  lastNames: string[];
  /** A text uses its sentences in this order. */
  happy: string[];
  unhappy: string[];
}

export const languages: Record<string, Language> = {
  english: {
    share: 0.6,
    firstNames: words(
      'James Mary Robert Linda David Susan Daniel Karen Emma Noah Olivia Liam Grace Henry Alice Oscar',
    ),
    lastNames: words(
      'Smith Jones Taylor Brown Davies Evans Wilson Walker Green Baker Turner Hill Cooper Ward Price',
    ),
    happy: [
      'Amazing product, and a pleasure to work with every day.',
      'We looked at five tools before this one, and I am glad that we did not stop at four.',
      'Great service from the first call to the last invoice.',
      'Onboarding took an afternoon, and everyone was productive the next morning.',
      'The reports save us two days of spreadsheets every month.',
      'Support answered within minutes, on a Sunday, and solved it in one message.',
      'The migration of eight years of data went through without a single lost record.',
      'The dashboard shows me what matters before I have finished my coffee.',
      'Highly recommended.',
      'Thank you to the whole team!',
    ],
    unhappy: [
      'I wanted to like this more than I do.',
      'Not what the demo promised.',
      'Support is friendly, but it takes days until somebody looks at the problem.',
      'Expensive for what it does today.',
    ],
  },
  german: {
    share: 0.15,
    firstNames: words(
      'Jürgen Anna Lukas Sophie Jörg Käthe Felix Marie Björn Greta Paul Lena Günther Ida Max Nele',
    ),
    lastNames: words(
      'Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schäfer Koch Bauer Richter Krüger',
    ),
    happy: [
      'Ein Werkzeug, das man nach einer Woche nicht mehr hergeben will.',
      'Die Einführung dauerte einen Nachmittag, die Schulung eine Stunde.',
      'Der Support ist freundlich, kompetent und ruft tatsächlich zurück.',
      'Der Umstieg klappte ohne einen einzigen verlorenen Datensatz.',
      'Klare Empfehlung!',
      'Jeden Euro wert.',
    ],
    unhappy: [
      'Die Idee ist gut, die Umsetzung noch nicht.',
      'Bei großen Listen warten wir jedes Mal eine halbe Minute.',
      'Für den Preis zu wenig.',
    ],
  },
  french: {
    share: 0.1,
    firstNames: words(
      'Chloé Hugo Léa Jules Élodie Louis Inès Théo Zoé Gabriel Agnès Rémi Hélène Noé Maëlle Loïc',
    ),
    lastNames: words(
      'Martin Bernard Dubois Durand Lefèvre Moreau Laurent Simon Michel Garnier Lefebvre Béranger',
    ),
    happy: [
      "Un outil que toute l'équipe a adopté en une semaine.",
      'La mise en place a pris une après-midi, formation comprise.',
      'Le support répond en quelques minutes, même le dimanche.',
      "La migration s'est faite sans perdre une seule donnée.",
      'Nous avons renouvelé sans hésiter.',
      "Merci à toute l'équipe.",
    ],
    unhappy: [
      "L'idée est bonne, mais le résultat déçoit.",
      'Les exports sont lents et parfois incomplets.',
      'Trop cher pour ce que cela fait.',
    ],
  },
  spanish: {
    share: 0.1,
    firstNames: words(
      'Lucía Mateo Sofía Diego Martina Álvaro Julia Pablo Inés Andrés Carmen Íñigo Elena Raúl Nuria',
    ),
    lastNames: words(
      'García Fernández López Martínez Sánchez Pérez Gómez Díaz Muñoz Álvarez Núñez Ibáñez Peña',
    ),
    happy: [
      'Una herramienta que el equipo pidió conservar desde el primer día.',
      'La puesta en marcha nos llevó una tarde.',
      'El soporte contesta en minutos y resuelve de verdad.',
      'Migramos ocho años de datos sin perder nada.',
      'Muy recomendable.',
      '¡Gracias a todo el equipo!',
    ],
    unhappy: [
      'La idea es buena, pero le falta madurar.',
      'Con listas grandes se vuelve muy lenta.',
      'Demasiado cara para lo que hace hoy.',
    ],
  },
  italian: {
    share: 0.05,
    firstNames: words(
      'Giulia Luca Niccolò Chiara Matteo Sara Andrea Elena Davide Anna Marco Irene Paolo Noemi',
    ),
    lastNames: words(
      'Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo Conti',
    ),
    happy: [
      'Uno strumento che tutto il team ha adottato in una settimana.',
      'La messa in opera ha richiesto un pomeriggio.',
      'L’assistenza risponde in pochi minuti, anche la domenica.',
      'Abbiamo migrato otto anni di dati senza perdere nulla.',
      'Lo sceglieremmo di nuovo.',
      'Grazie a tutto il team.',
    ],
    unhappy: [
      'L’idea è buona, la realizzazione meno.',
      'Con elenchi lunghi diventa lento.',
      'Troppo caro per quello che fa.',
    ],
  },
};

function words(text: string): string[] {
  return text.split(' ');
}
